// Makes the page live: times in the reader's clock, forms sent in place, messages as they come.
// Without this file everything still works by loading pages.
"use strict";

(() => {
  const zoneField = document.getElementById("zone");
  if (zoneField) zoneField.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";

  const app = document.querySelector(".app");
  if (!app) return;

  const language = app.dataset.language;
  const shapes = {
    time: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
    date: { weekday: "short", day: "numeric", month: "short" },
    both: { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  };
  const formats = {};
  const shown = (style, at) => {
    formats[style] ||= new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, shapes[style] || shapes.time);
    return formats[style].format(at);
  };

  function readTimes(root) {
    for (const time of root.querySelectorAll("time[data-moment]")) {
      const at = new Date(time.dateTime);
      if (!Number.isNaN(at.getTime())) time.textContent = shown(time.dataset.moment, at);
    }
  }

  // --- the clock ---------------------------------------------------------------------------------------------

  function setClock(at, state) {
    const clock = document.getElementById("clock");
    for (const time of clock.querySelectorAll("time")) time.dateTime = at;
    readTimes(clock);
    clock.classList.toggle("clock--waiting", state === "waiting");
    const label = clock.querySelector(".clock__state");
    if (label.textContent !== label.dataset[state]) label.textContent = label.dataset[state];
    const button = document.getElementById("go-on");
    button.hidden = state === "running";
    button.textContent = button.dataset[state];
  }

  // --- messages ----------------------------------------------------------------------------------------------

  const nearEnd = () => window.innerHeight + window.scrollY >= document.body.scrollHeight - 160;

  function keepThreads(from, to) {
    for (const thread of to.querySelectorAll("details[data-thread]")) {
      const old = from.querySelector(`details[data-thread="${thread.dataset.thread}"]`);
      if (old) thread.open = old.open || thread.querySelector(".private") !== null;
    }
  }

  function replaceRow(old, fresh) {
    keepThreads(old, fresh);
    const active = document.activeElement;
    const focus = old.contains(active) && active.name ? [active.name, active.value] : null;
    old.replaceWith(fresh);
    if (!focus) return;
    for (const button of fresh.querySelectorAll("button")) {
      if (button.name === focus[0] && button.value === focus[1]) { button.focus(); return; }
    }
  }

  function mergeMessages(page) {
    const list = document.getElementById("messages");
    const wanted = [...page.querySelectorAll("#messages > li")];
    const ids = new Set(wanted.map((row) => row.id));
    for (const row of [...list.children]) if (!ids.has(row.id)) row.remove();
    let added = null;
    let at = list.firstElementChild;
    for (const row of wanted) {
      const old = document.getElementById(row.id);
      if (old && old.parentElement === list) {
        if (old !== at) list.insertBefore(old, at);
        at = old.nextElementSibling;
        if (old.dataset.revision !== row.dataset.revision) { readTimes(row); replaceRow(old, document.adoptNode(row)); }
      } else {
        readTimes(row);
        list.insertBefore(document.adoptNode(row), at);
        if (row.classList.contains("message")) added ||= row;
      }
    }
    return added;
  }

  const jump = document.getElementById("jump");
  let newest = null;

  function announce(row) {
    newest = row;
    jump.hidden = false;
  }

  jump.addEventListener("click", () => {
    jump.hidden = true;
    newest?.scrollIntoView({ block: "start", behavior: "smooth" });
  });

  window.addEventListener("scroll", () => {
    if (!jump.hidden && newest && newest.getBoundingClientRect().top < window.innerHeight - 160) jump.hidden = true;
  }, { passive: true });

  function merge(page, withForm) {
    const follow = nearEnd();
    const added = mergeMessages(page);
    const fresh = page.querySelector(".app");
    if (fresh) app.dataset.writes = fresh.dataset.writes;
    const nav = page.querySelector(".nav");
    if (nav) document.querySelector(".nav").replaceWith(document.adoptNode(nav));
    if (withForm) {
      const form = page.getElementById("form");
      if (form) document.getElementById("form").replaceWith(document.adoptNode(form));
      openForm();
    }
    if (!added || added.querySelector(":scope > .private")) return;
    if (follow) added.scrollIntoView({ block: "start" });
    else announce(added);
  }

  // --- forms over the page -----------------------------------------------------------------------------------

  let returnTo = null;

  function openForm() {
    const modal = document.querySelector("#form .modal");
    app.inert = modal !== null;
    if (modal) {
      const wrong = modal.querySelector(".field--wrong .field__input, .field--wrong input:not([type=hidden])");
      const first = modal.querySelector(".field__input, .choice input");
      (wrong || first || modal.querySelector("button")).focus();
    } else if (returnTo && returnTo.isConnected) {
      returnTo.focus();
    }
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.isComposing) document.querySelector("#form .modal__close")?.click();
  });

  /** The private reply that was made last, wherever it stands. */
  function lastReply() {
    const replies = [...document.querySelectorAll(".private[data-number]")];
    return replies.sort((one, other) => one.dataset.number - other.dataset.number).pop();
  }

  /** The reply in sight, and as much as fits of what it answers above it. */
  function showReply(reply) {
    const top = reply.getBoundingClientRect().top + window.scrollY;
    const room = window.innerHeight - 120 - reply.offsetHeight;
    window.scrollTo({ top: top - Math.max(window.innerHeight * 0.3, room) });
  }

  async function send(form, button) {
    const body = new URLSearchParams(new FormData(form, button));
    // Not form.action: a button that is named so would stand in its place.
    const target = button?.getAttribute("formaction") || form.getAttribute("action");
    const response = await fetch(target, { method: "POST", body });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (!page.getElementById("messages")) {
      showFault(page.querySelector(".welcome__text")?.textContent || response.statusText);
      return;
    }
    document.getElementById("fault")?.remove();
    const before = lastReply()?.dataset.number;
    merge(page, true);
    const reply = lastReply();
    if (reply && reply.dataset.number !== before) showReply(reply);
  }

  function showFault(sentence) {
    document.getElementById("fault")?.remove();
    const notice = document.createElement("p");
    notice.id = "fault";
    notice.className = "notice notice--fault";
    notice.setAttribute("role", "alert");
    notice.textContent = sentence;
    document.querySelector(".channel__head").after(notice);
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.hasAttribute("data-live")) return;
    event.preventDefault();
    if (form.dataset.sending) return;
    const button = event.submitter;
    if (!form.closest("#form")) returnTo = button;
    form.dataset.sending = "yes";
    send(form, button)
      .then(() => { if (form.id === "composer") form.reset(); })
      .catch(() => location.reload())
      .finally(() => { delete form.dataset.sending; });
  });

  // While somebody writes, the clock shall wait.
  let told = 0;
  document.addEventListener("input", () => {
    if (Date.now() - told < 5000 || !app.dataset.base.includes("/channel/")) return;
    told = Date.now();
    fetch(`${app.dataset.base}/here`, { method: "POST" }).catch(() => {});
  });

  // --- as it happens -----------------------------------------------------------------------------------------

  let loading = false;
  let again = false;

  async function load() {
    if (loading) { again = true; return; }
    loading = true;
    try {
      const response = await fetch(app.dataset.page);
      if (response.ok) merge(new DOMParser().parseFromString(await response.text(), "text/html"), false);
    } finally {
      loading = false;
      if (again) { again = false; setTimeout(load, 120); }
    }
  }

  const member = app.dataset.base.split("/")[2];
  const stream = new EventSource(`/as/${member}/events?writes=${app.dataset.writes}`);
  stream.addEventListener("changed", () => { load().catch(() => {}); });
  stream.addEventListener("clock", (event) => {
    const { at, state } = JSON.parse(event.data);
    setClock(at, state);
  });
  stream.addEventListener("error", () => {
    const label = document.querySelector(".clock__state");
    label.textContent = label.dataset.lost;
  });
  window.addEventListener("pagehide", () => stream.close());

  readTimes(document);
  openForm();
  if (!location.hash) {
    const rows = document.querySelectorAll("#messages > .message");
    if (rows.length) rows[rows.length - 1].scrollIntoView({ block: "start" });
  }
})();
