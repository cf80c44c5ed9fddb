// SPDX-License-Identifier: MIT
// Numbers and names for people, and the elements that show them. Text of a capture only ever becomes text nodes.

// Three digits and a unit, as hostlink prints it.
function formatTime(ns) {
  if (ns === null || ns === undefined) return '';
  const sign = ns < 0 ? '-' : '';
  let value = Math.abs(ns);
  if (value < 1000) return `${sign}${Math.round(value)} ns`;
  value /= 1000;
  let unit = 0;
  while (value >= 999.5 && unit < 2) {
    value /= 1000;
    unit++;
  }
  const decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return `${sign}${value.toFixed(decimals)} ${['µs', 'ms', 's'][unit]}`;
}

// A time of the trace, in full.
function formatAt(ns) {
  const sign = ns < 0 ? '-' : '';
  const whole = Math.abs(ns);
  const seconds = Math.floor(whole / 1e9);
  const rest = String(Math.round(whole - seconds * 1e9)).padStart(9, '0');
  return `${sign}${seconds}.${rest.slice(0, 3)} ${rest.slice(3, 6)} ${rest.slice(6)} s`;
}

function formatBytes(bytes) {
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < 4) {
    value /= 1000;
    unit++;
  }
  const decimals = unit === 0 || Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  return `${value.toFixed(decimals)} ${['B', 'kB', 'MB', 'GB', 'TB'][unit]}`;
}

// 12 345 678, with narrow spaces.
function formatCount(number) {
  const text = String(Math.abs(number));
  const cut = text.indexOf('.') < 0 ? text.length : text.indexOf('.');
  return (number < 0 ? '-' : '') + text.slice(0, cut).replace(/\B(?=(\d{3})+$)/g, '\u202f') + text.slice(cut);
}

function formatValue(number) {
  return Number.isInteger(number) && Math.abs(number) < 1e9 ? formatCount(number) : String(Number(number.toPrecision(6)));
}

function formatPercent(number) {
  return number === null ? '' : `${number < 10 ? number.toFixed(2) : number.toFixed(1)} %`;
}

const NAME_SHOWN = 300;

function shorten(text, most = NAME_SHOWN) {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

// An element: "attributes" may have "text", "on" (listeners by name) and attributes; children are elements or strings.
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'text') node.textContent = value;
    else if (name === 'on') for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

function button(text, title, click) {
  return element('button', {type: 'button', text, title, on: {click}});
}

// ---- colours ----

const dark = window.matchMedia('(prefers-color-scheme: dark)');
let printing = false;
const colors = {};
const redraws = [];

function isDark() {
  return dark.matches && !printing;
}

// Colours of canvases, from the style sheet.
function readColors() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['ink', 'muted', 'line', 'panel', 'accent', 'bad', 'good', 'warn', 'quiet']) {
    colors[name] = style.getPropertyValue(`--${name}`).trim();
  }
}

function redrawAll() {
  readColors();
  nameColors.clear();
  for (const redraw of redraws) redraw();
}

const nameColors = new Map();
const HUES = [205, 28, 150, 262, 48, 340, 182, 88, 225, 12, 290, 128];
const ranks = new Map(); // names that are drawn most: their colours differ

function hashOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length && i < 64; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return hash >>> 0;
}

// A calm colour for a name, the same in every graph.
function colorOf(text) {
  let color = nameColors.get(text);
  if (!color) {
    const number = ranks.get(text) ?? hashOf(text);
    const hue = HUES[number % HUES.length];
    const shade = Math.floor(number / HUES.length) % 3;
    color = isDark() ? `hsl(${hue} 32% ${38 - 5 * shade}%)` : `hsl(${hue} ${52 - 4 * shade}% ${74 + 5 * shade}%)`;
    nameColors.set(text, color);
  }
  return color;
}

// ---- canvases ----

// Sizes a canvas to its box in device pixels, and returns what draws in CSS pixels.
function openCanvas(canvas) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  for (const [side, size] of [['width', width * scale], ['height', height * scale]]) if (canvas[side] !== Math.round(size)) canvas[side] = Math.round(size);
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  return {context, width, height};
}

// The text as far as it fits.
function fitText(context, text, x, y, width) {
  const room = width - 6;
  if (room < 10) return;
  let shown = text.slice(0, Math.ceil(room / 2));
  let wide = context.measureText(shown).width;
  while (wide > room && shown.length > 1) {
    shown = `${shown.slice(0, Math.max(0, Math.min(shown.length - 2, Math.floor(shown.length * room / wide) - 1)))}…`;
    wide = context.measureText(shown).width;
  }
  if (wide <= room && shown !== '…') context.fillText(shown, x + 3, y);
}

// A label in a graph, legible over the drawing.
function fillLabel(context, text, x, y) {
  context.globalAlpha = 0.85;
  context.fillStyle = colors.panel;
  context.fillRect(x - 3, y - 6, context.measureText(text).width + 6, 12);
  context.globalAlpha = 1;
  context.fillStyle = colors.muted;
  context.fillText(text, x, y);
}

// Steps of 1, 2 and 5 for about so many marks on an axis.
function niceStep(span, marks) {
  const raw = span / Math.max(1, marks);
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= raw) || power;
}

// ---- the tooltip ----

const tip = document.getElementById('tip');

function showTip(event, lines) {
  if (!lines) {
    tip.hidden = true;
    return;
  }
  tip.replaceChildren(...lines.map((line, i) => element('div', {class: i === 0 ? 'first' : '', text: shorten(line, 160)})));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, window.innerWidth - box.width - 8))}px`;
  const below = event.clientY + 18;
  tip.style.top = `${below + box.height > window.innerHeight ? event.clientY - box.height - 12 : below}px`;
}
