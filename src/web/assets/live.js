// Keeps the page up to date: applies what the server sends, keeps the focus, and updates relative times. Without this
// script the page works, but shows the state at its last load. The server escapes all markup.

const beatMaxMs = 40_000; // the server sends a beat every 15 s
const retryMs = 10_000;
const typingMs = 200;
const sayingMs = 3_000;

const link = document.getElementById('link');
const say = document.getElementById('say');
let source;
let heardMs = 0;
let fresh = true;
let retry;

function connect() {
  clearTimeout(retry);
  source?.close();
  source = undefined;
  const { events } = document.body.dataset;
  if (!events || document.hidden) return;
  fresh = true;
  heardMs = performance.now();
  source = new EventSource(events);
  source.addEventListener('message', ({ data }) => {
    heard();
    take(JSON.parse(data));
    fresh = false;
  });
  source.addEventListener('beat', heard);
  source.addEventListener('error', () => lost(source?.readyState === EventSource.CLOSED));
}

function heard() {
  heardMs = performance.now();
  show('live', 'Live');
}

/** @param {boolean} forGood whether the browser has given up retrying */
function lost(forGood) {
  fresh = true;
  if (link?.dataset.state !== 'lost') announce('The connection is lost.');
  show('lost', 'Connection lost: this page may be out of date. Reconnecting…');
  if (forGood) retry = setTimeout(connect, retryMs);
}

function show(state, text) {
  if (!link || link.dataset.state === state) return;
  link.dataset.state = state;
  link.textContent = text;
}

// --- server events

function take({ parts, rows, order, say: text }) {
  const focus = focused();
  const still = !fresh && inUse();
  for (const [id, markup] of Object.entries(parts)) put(id, markup);
  for (const [id, markup] of Object.entries(rows)) put(id, markup);
  if (order) wanted = order;
  if (!still) arrange();
  refocus(focus);
  if (text && !fresh) announce(text);
}

/** Parses the markup in a template, which accepts any element: elsewhere, a row is parsed only inside a table. */
function put(id, markup) {
  const template = document.createElement('template');
  template.innerHTML = markup;
  const next = template.content.firstElementChild;
  if (!next) return;
  const old = document.getElementById(id);
  if (old) old.replaceWith(next);
  else body?.append(next);
  if (!fresh && next.matches('tr:not(.group, #head)')) next.classList.add('changed');
  if (next.dataset.title) document.title = next.dataset.title;
}

const body = document.getElementById('rows');
const pointing = matchMedia('(hover: hover)');
let wanted;

/** Whether the pointer or the focus is in the list. Rows are not moved meanwhile. */
function inUse() {
  return body?.matches(':focus-within') || (pointing.matches && body?.matches(':hover'));
}

body?.addEventListener('pointerleave', settle);
body?.addEventListener('focusout', settle);

function settle() {
  setTimeout(() => inUse() || arrange());
}

/** Moves as few rows as possible, because a moved row loses the text selection in it. */
function arrange() {
  if (!body || !wanted) return;
  const order = wanted;
  wanted = undefined;
  const kept = new Set(order);
  for (const row of Array.from(body.children)) if (!kept.has(row.id)) row.remove(); // copied, because the list is live
  let at = body.firstElementChild;
  for (const id of order) {
    const row = document.getElementById(id);
    if (row === at) at = at?.nextElementSibling ?? null;
    else if (row) body.insertBefore(row, at);
  }
}

// --- focus: the focused element may have been replaced by its successor

function focused() {
  const element = document.activeElement;
  const home = element?.closest('[id]');
  const href = element?.getAttribute('href');
  return element && home && href !== null ? { element, id: home.id, href } : undefined;
}

function refocus(focus) {
  if (!focus || focus.element === document.activeElement) return;
  const links = document.getElementById(focus.id)?.querySelectorAll('a') ?? [];
  const same = [...links].find((other) => other.getAttribute('href') === focus.href);
  same?.focus({ preventScroll: true });
}

// --- announcements: only the latest one, at intervals

let pending = '';
let saying;

function announce(text) {
  pending = text;
  saying ??= setTimeout(
    () => {
      if (say) say.textContent = pending;
      saying = undefined;
    },
    say?.textContent === '' ? 0 : sayingMs,
  );
}

// --- relative times, in the same words as on the server (pages/format.ts)

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
];

function relative(atMs, wallMs) {
  const away = Math.abs(atMs - wallMs);
  const unit = units.find(([ms]) => away >= ms);
  if (!unit) return 'now';
  const text = `${Math.floor(away / unit[0])} ${unit[1]}`;
  return atMs > wallMs ? `in ${text}` : `${text} ago`;
}

function tick() {
  if (document.hidden) return;
  const wallMs = Date.now();
  for (const time of document.querySelectorAll('time')) {
    const atMs = Date.parse(time.dateTime);
    const text = relative('due' in time.dataset ? Math.max(atMs, wallMs) : atMs, wallMs);
    if (time.textContent !== text) time.textContent = text;
  }
  if (source && performance.now() - heardMs > beatMaxMs) {
    lost(false);
    connect();
  }
}

// --- the filter: the address and the stream follow the input

const form = document.getElementById('filter');
let typing;

function narrow() {
  const asked = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== '') asked.set(name, value);
  const text = asked.toString();
  history.replaceState(null, '', text === '' ? '/' : `/?${text}`);
  document.body.dataset.events = `/events?${text}`;
  connect();
}

form?.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(narrow, typingMs);
});
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(typing);
  narrow();
});
document.addEventListener('keydown', (event) => {
  const inField = event.target.closest?.('input, select, textarea');
  if (event.key !== '/' || inField || event.ctrlKey || event.metaKey || event.altKey || !form) return;
  event.preventDefault();
  form.elements.q.focus();
});

// Browsers allow few connections per host, so hidden pages close theirs.
document.addEventListener('visibilitychange', connect);
addEventListener('pageshow', ({ persisted }) => persisted && connect());
setInterval(tick, 1_000);
connect();
