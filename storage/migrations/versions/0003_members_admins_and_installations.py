"""What members set, reminders, keycaps, challenges, delegated admins, installations of the Slack app

Revision 0003, after 0002.
"""

import sqlalchemy as sa
import sqlmodel
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "pinnedquestion",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("schedule_id", sa.Integer(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("question_id", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.ForeignKeyConstraint(["schedule_id"], ["schedule.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("schedule_id", "day"),
    )
    op.create_table(
        "installation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("platform", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("workspace", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("enterprise", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("app_id", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("bot_id", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("bot_user", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("scopes", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("token", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("refresh_token", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("expires_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("refreshing_until", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("key_id", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("installed_by", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("installed_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("changed_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("revoked_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("platform", "workspace"),
    )
    op.create_table(
        "oauthstate",
        sa.Column("digest", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("browser", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("expires_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_table(
        "drilladmin",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("workspace_id", sa.Integer(), nullable=False),
        sa.Column("kind", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("external_id", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["made_by"],
            ["member.id"],
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspace.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("workspace_id", "kind", "external_id"),
    )
    op.create_table(
        "challenge",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("member_id", sa.Integer(), nullable=False),
        sa.Column("question_id", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("fingerprint", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("text", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("made_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("state", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.ForeignKeyConstraint(
            ["member_id"],
            ["member.id"],
        ),
        sa.ForeignKeyConstraint(
            ["round_id"],
            ["round.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("round_id", "member_id"),
    )
    op.create_index(op.f("ix_challenge_question_id"), "challenge", ["question_id"], unique=False)
    op.create_table(
        "reactionmark",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("member_id", sa.Integer(), nullable=False),
        sa.Column("option", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("here", sa.Boolean(), server_default="1", nullable=False),
        sa.Column("late", sa.Boolean(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["member_id"],
            ["member.id"],
        ),
        sa.ForeignKeyConstraint(
            ["round_id"],
            ["round.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("round_id", "member_id", "option"),
    )
    op.create_table(
        "reminder",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("member_id", sa.Integer(), nullable=False),
        sa.Column("kind", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("made_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("told_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("error", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.ForeignKeyConstraint(
            ["member_id"],
            ["member.id"],
        ),
        sa.ForeignKeyConstraint(
            ["round_id"],
            ["round.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("round_id", "member_id"),
    )
    op.create_index(op.f("ix_reminder_member_id"), "reminder", ["member_id"], unique=False)
    op.add_column("answer", sa.Column("via", sqlmodel.sql.sqltypes.AutoString(), server_default="", nullable=False))
    op.add_column(
        "member", sa.Column("chosen_language", sqlmodel.sql.sqltypes.AutoString(), server_default="", nullable=False)
    )
    op.add_column(
        "member", sa.Column("chosen_zone", sqlmodel.sql.sqltypes.AutoString(), server_default="", nullable=False)
    )
    op.add_column("member", sa.Column("confirm", sa.Boolean(), server_default="0", nullable=False))
    op.add_column("member", sa.Column("reminders", sa.Boolean(), server_default="0", nullable=False))
    op.create_index("ix_member_reminders", "member", ["reminders", "workspace_id"], unique=False)
    op.add_column("member", sa.Column("opted_out_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
    op.add_column("member", sa.Column("forgotten_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
    op.add_column("round", sa.Column("reactions", sa.Boolean(), server_default="0", nullable=False))
    op.add_column("round", sa.Column("reactions_read_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
    op.add_column("schedule", sa.Column("reactions", sa.Boolean(), server_default="0", nullable=False))
    op.add_column(
        "schedule", sa.Column("channel_state", sqlmodel.sql.sqltypes.AutoString(), server_default="", nullable=False)
    )
    op.add_column("schedule", sa.Column("trouble", sa.JSON(), server_default="[]", nullable=False))
    op.add_column("schedule", sa.Column("checked_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
    op.add_column("notice", sa.Column("taken_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
    op.add_column("notice", sa.Column("state", sqlmodel.sql.sqltypes.AutoString(), server_default="", nullable=False))
    op.add_column("notice", sa.Column("tried", sa.JSON(), server_default="[]", nullable=False))
    op.add_column("workspace", sa.Column("least_shown", sa.Integer(), server_default="5", nullable=False))
    op.add_column(
        "workspace", sa.Column("inviter", sqlmodel.sql.sqltypes.AutoString(), server_default="", nullable=False)
    )
    op.add_column("workspace", sa.Column("greeted_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
    op.add_column("workspace", sa.Column("left_at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))


def downgrade() -> None:
    op.drop_column("workspace", "left_at")
    op.drop_column("workspace", "greeted_at")
    op.drop_column("workspace", "inviter")
    op.drop_column("workspace", "least_shown")
    op.drop_column("notice", "tried")
    op.drop_column("notice", "state")
    op.drop_column("notice", "taken_at")
    op.drop_column("schedule", "checked_at")
    op.drop_column("schedule", "trouble")
    op.drop_column("schedule", "channel_state")
    op.drop_column("schedule", "reactions")
    op.drop_column("round", "reactions_read_at")
    op.drop_column("round", "reactions")
    op.drop_column("member", "forgotten_at")
    op.drop_column("member", "opted_out_at")
    op.drop_index("ix_member_reminders", table_name="member")
    op.drop_column("member", "reminders")
    op.drop_column("member", "confirm")
    op.drop_column("member", "chosen_zone")
    op.drop_column("member", "chosen_language")
    op.drop_column("answer", "via")
    op.drop_index(op.f("ix_reminder_member_id"), table_name="reminder")
    op.drop_table("reminder")
    op.drop_table("reactionmark")
    op.drop_index(op.f("ix_challenge_question_id"), table_name="challenge")
    op.drop_table("challenge")
    op.drop_table("drilladmin")
    op.drop_table("oauthstate")
    op.drop_table("installation")
    op.drop_table("pinnedquestion")
