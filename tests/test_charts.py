"""Pictures: what they show, what their alt text says, and that nothing a person wrote breaks or steers them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from bot.charts import ALT_LIMIT, BoardRow, Picture, board_picture, distribution_picture, font_directory, picture_svg

ROOT = Path(__file__).parent.parent

ROWS = (
    BoardRow(1, "林晓雨", 21_250, 2, 5),
    BoardRow(2, "Amara Okafor", 18_000, -1, 5),
    BoardRow(2, "Priya Raman", 18_000, 0, 4),
    BoardRow(4, "José Ñandú", 123_456, None, 1),
)
SHARES = (("A", "256 MiB", 2, False), ("B", "512 MiB", 1, False), ("C", "1 GiB", 9, True))

ODD_NAMES = (
    '"]; alert(1) //',
    "datum.points",
    "${x} {{y}} %s {name}",
    "</text><script>alert(1)</script>",
    "line\nfeed\r\n\tand\x00\x1b[31m controls",
    "🎉👩\u200d💻🇨🇳1️⃣",
    "𠮷" * 60,
    "﷽" * 20,
    "שלום עולם",
    "\u202etxet desrever\u202c",
    "e\u0301" * 80,
    "\ud800 half a pair",
    "Zalgo" + "\u0300" * 300,
    "",
    "W" * 500,
    "1234",
    "2026-08-03",
    "null",
)


def board(name: str = "林晓雨", **changes: object) -> Picture:
    row = BoardRow(**{"rank": 1, "name": name, "points": 100, "movement": 0, "answered": 1, **changes})  # type: ignore[arg-type]
    return board_picture("榜", "", [row], language="zh")


def image(png: bytes) -> Image.Image:
    opened = Image.open(io.BytesIO(png))
    opened.verify()
    return Image.open(io.BytesIO(png)).convert("RGB")


def texts(picture: Picture) -> list[str]:
    """Every text that the picture's spec holds as data."""
    rows = [picture.spec["data"], *(layer["data"] for layer in picture.spec["layer"] if "data" in layer)]
    return [value for row in rows for datum in row["values"] for value in datum.values() if isinstance(value, str)]


@pytest.fixture(scope="module")
def fontless(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Image.Image]:
    """One word drawn per picture, in a process for which the machine has no font at all."""
    folder = tmp_path_factory.mktemp("fontless")
    (folder / "fonts.conf").write_text(f"<fontconfig><dir>{folder / 'none'}</dir></fontconfig>")
    words = {"zh": "中文", "other": "学习", "en": "word", "empty": "", "box": "\u0639\u0639", "boxes": "\u0939\u0939"}
    script = (
        "import json, sys, pathlib\n"
        "from bot.charts import distribution_picture\n"
        "for key, word in json.load(sys.stdin).items():\n"
        "    picture = distribution_picture('', [('', word, 0, False)], language='zh', answered=1)\n"
        "    pathlib.Path(sys.argv[1], key + '.png').write_bytes(picture.png)\n"
    )
    environment = {**os.environ, "FONTCONFIG_FILE": str(folder / "fonts.conf"), "HOME": str(folder)}
    command = [sys.executable, "-c", script, str(folder)]
    subprocess.run(command, input=json.dumps(words), text=True, check=True, cwd=ROOT, env=environment)
    return {key: image((folder / f"{key}.png").read_bytes()) for key in words}


def ink(drawn: Image.Image, empty: Image.Image) -> int:
    """How many pixels differ from the same picture without the word."""
    changed = ImageChops.difference(drawn, empty).convert("L")
    return sum(changed.histogram()[61:])


def test_chinese_and_english_are_drawn_on_a_machine_without_fonts(fontless: dict[str, Image.Image]) -> None:
    """Two Chinese words differ from each other and from the boxes that stand for what no font there has."""
    zh, other, box, empty = (fontless[key] for key in ("zh", "other", "box", "empty"))
    assert ImageChops.difference(box, fontless["boxes"]).getbbox() is None, "this machine has fonts: nothing is shown"
    assert ink(zh, empty) > 300
    assert ink(other, empty) > 300
    assert ink(fontless["en"], empty) > 200
    for first, second in ((zh, other), (zh, box), (other, box), (fontless["en"], box)):
        assert ink(first, second) > 200


def test_a_board_is_900_pixels_wide_and_grows_by_a_line_a_row() -> None:
    few, many = (board_picture("t", "s", ROWS[:count], language="en") for count in (1, 4))
    assert image(few.png).width == image(many.png).width == 900
    assert image(many.png).height - image(few.png).height == 3 * 48
    assert few.png.startswith(b"\x89PNG\r\n\x1a\n")
    assert few.name.isascii()


def test_the_biggest_board_stays_under_150_kilobytes() -> None:
    rows = [BoardRow(rank, "国际机器学习排行榜成员的名字" * 3, 123_456, 12, 7) for rank in range(1, 11)]
    picture = board_picture("榜" * 50, "二" * 90, rows, language="zh", footer="三" * 90)
    assert image(picture.png).height < 800
    assert len(picture.png) < 150_000


def test_the_same_input_gives_the_same_bytes_from_any_thread() -> None:
    with ThreadPoolExecutor(4) as pool:
        pictures = list(pool.map(lambda _: board_picture("t", "s", ROWS, language="zh"), range(8)))
    assert len({picture.png for picture in pictures}) == 1
    assert all(picture.spec == pictures[0].spec for picture in pictures)


def test_members_who_share_a_rank_are_drawn_with_the_same_number() -> None:
    picture = board_picture("t", "s", ROWS, language="en")
    assert [datum["rank"] for datum in picture.spec["data"]["values"]] == ["1", "2", "2", "4"]


def test_a_board_says_everything_in_english() -> None:
    picture = board_picture("Weekly board", "Week 32", ROWS, language="en-GB", footer="4 of 6 took part")
    assert picture.alt == (
        "Weekly board. Week 32. 1. 林晓雨, 212.5 points, 5 answered, up 2. "
        "2. Amara Okafor, 180 points, 5 answered, down 1. 2. Priya Raman, 180 points, 4 answered, unchanged. "
        "4. José Ñandú, 1,234.56 points, 1 answered, new. 4 of 6 took part."
    )
    assert {"▲2", "▼1", "–", "new", "212.5", "1,234.56", "4 of 6 took part"} <= set(texts(picture))
    assert picture.spec["description"] == picture.alt


def test_a_board_says_everything_in_chinese() -> None:
    picture = board_picture("本周排行榜", "第 32 周", ROWS[:2], language="zh-CN", footer="6 人中有 2 人参加")
    assert picture.alt == (
        "本周排行榜。第 32 周。第 1 名 林晓雨，212.5 分，答题 5 次，上升 2 名。"
        "第 2 名 Amara Okafor，180 分，答题 5 次，下降 1 名。6 人中有 2 人参加。"
    )


@pytest.mark.parametrize(("language", "words"), [("en", "No points yet"), ("zh", "还没有人得分")])
def test_a_board_without_rows_is_a_friendly_picture(language: str, words: str) -> None:
    picture = board_picture("t", "", [], language=language)
    assert image(picture.png).width == 900
    assert words in picture.alt
    assert any(words in text for text in texts(picture))


def test_a_board_on_which_everybody_has_zero_points_is_drawn() -> None:
    assert image(board(points=0).png).width == 900


def test_more_than_ten_rows_are_counted_instead_of_drawn() -> None:
    rows = [BoardRow(rank, f"member {rank}", 100, 0, 1) for rank in range(1, 14)]
    picture = board_picture("t", "", rows, language="en", footer="13 of 20 took part")
    assert len(picture.spec["data"]["values"]) == 10
    assert "13 of 20 took part · 3 more below" in picture.alt
    assert "member 11" not in picture.alt


@pytest.mark.parametrize("name", ODD_NAMES, ids=range(len(ODD_NAMES)))
def test_no_name_breaks_a_picture(name: str) -> None:
    """Every odd name is drawn in one line beside the numbers, in a picture of the usual size."""
    usual, odd = board(), board(name)
    assert image(odd.png).size == image(usual.png).size
    assert len(odd.alt) <= ALT_LIMIT
    assert not any(char < " " or char == "\u202e" for text in (odd.alt, *texts(odd)) for char in text)
    numbers = (590, 0, 900, image(usual.png).height)
    assert ImageChops.difference(image(usual.png).crop(numbers), image(odd.png).crop(numbers)).getbbox() is None


@pytest.mark.parametrize("name", ['"]; alert(1) //', "datum.points", "${x} {{y}}", "</text><b>"])
def test_a_name_is_data_and_nothing_else(name: str) -> None:
    """Apart from its data the spec is the same whoever is on the board, and the page's SVG carries it escaped."""
    usual, odd = board(), board(name)
    assert odd.spec["layer"] == usual.spec["layer"]
    assert odd.spec["config"] == usual.spec["config"]
    assert odd.spec["data"]["values"][0]["name"] == name
    svg = picture_svg(odd)
    assert "</text><b>" not in svg
    assert name.replace("<", "&lt;").replace(">", "&gt;") in svg.replace("&quot;", '"')


def test_a_name_of_emoji_alone_becomes_a_word_in_the_picture_and_stays_in_the_alt_text() -> None:
    picture = board("🎉")
    assert picture.spec["data"]["values"][0]["name"] == "成员"
    assert "🎉" in picture.alt


def test_a_long_name_ends_in_an_ellipsis_between_whole_characters() -> None:
    name = board("e\u0301" * 80).spec["data"]["values"][0]["name"]
    assert name.endswith("e\u0301…")
    assert len(name) < 80


def test_the_right_share_has_a_sign_besides_its_colour() -> None:
    picture = distribution_picture("Drill #42", SHARES, language="en")
    shown = picture.spec["data"]["values"]
    assert [datum["mark"] for datum in shown] == ["", "", "✓"]
    assert shown[0]["bar"] == shown[1]["bar"] != shown[2]["bar"]
    assert [datum["amount"] for datum in shown] == ["17% (2)", "8% (1)", "75% (9)"]
    assert picture.alt == "Drill #42. A: 256 MiB, 17% (2). B: 512 MiB, 8% (1). C (right): 1 GiB, 75% (9)."
    assert image(picture.png).width == 900


def test_where_members_choose_several_options_shares_are_of_the_members() -> None:
    shares = (("A", "一", 4, True), ("B", "二", 3, True), ("C", "三", 1, False))
    picture = distribution_picture("多选", shares, language="zh", answered=4)
    assert picture.alt == "多选。A（正确）：一，100%（4 人）。B（正确）：二，75%（3 人）。C：三，25%（1 人）。"


def test_a_distribution_of_nothing_says_so() -> None:
    picture = distribution_picture("t", [("A", "one", 0, True), ("B", "two", 0, False)], language="en")
    assert picture.alt == "t. A (right): one, 0% (0). B: two, 0% (0). No answers yet."
    assert image(picture.png).width == 900


def test_formulas_are_drawn_with_characters_that_the_font_has() -> None:
    picture = distribution_picture("t", [("A", "10⁻³ · x₁ · m²", 1, True)], language="en")
    assert picture.spec["data"]["values"][0]["name"] == "10^−3 · x_1 · m²"
    assert "10⁻³ · x₁ · m²" in picture.alt


def test_the_longest_alt_text_fits_every_platform() -> None:
    rows = [BoardRow(rank, "𠮷x" * 200, 10**9, 1000, 10**6) for rank in range(1, 11)]
    picture = board_picture("榜" * 900, "二" * 900, rows, language="en", footer="三" * 900)
    assert len(picture.alt) <= ALT_LIMIT
    assert "10. 𠮷x" in picture.alt


def test_the_font_comes_with_a_package() -> None:
    assert [path.name for path in font_directory().glob("*.ttc")] == ["NotoSansCJK-Regular.ttc"]


def test_importing_the_module_starts_no_drawing_engine() -> None:
    code = "import sys, bot.charts; sys.exit('vl_convert' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
