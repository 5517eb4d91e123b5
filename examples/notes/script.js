import { loadNotes, keepNotes } from './lib/store.js';

const board = document.querySelector('main');
const template = document.querySelector('template');
const addButton = document.querySelector('#add');
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const tints = ['yellow', 'pink', 'blue', 'green'];

const notes = loadNotes() ?? [
  { text: 'Write on any of these.', x: 0.02, y: 0.06, tint: 'yellow' },
  { text: 'Drag a note by its top, or move it with the arrow keys.', x: 0.94, y: 0, tint: 'blue' },
  { text: '● changes the paper, × throws it away.', x: 0.06, y: 0.94, tint: 'pink' },
  { text: 'They will still be here tomorrow.', x: 0.5, y: 0.74, tint: 'green' },
];

let top = 1; // the note touched last lies above all others

const clamp = (value) => Math.min(1, Math.max(0, value));

function place(element, note) {
  element.style.setProperty('--x', note.x);
  element.style.setProperty('--y', note.y);
  element.style.setProperty('--tint', `var(--${note.tint})`);
  element.style.setProperty('--tilt', `${((note.x * 7 + note.y * 5) % 4) - 2}deg`);
}

// Turns a distance in pixels into a part of the free room, as style.css counts it.
function moveBy(element, note, dx, dy) {
  note.x = clamp(note.x + dx / Math.max(1, board.clientWidth - element.offsetWidth));
  note.y = clamp(note.y + dy / Math.max(1, board.clientHeight - element.offsetHeight));
  place(element, note);
}

// A captured pointer keeps reporting to the handle, however fast it moves.
function dragBy(handle, element, note) {
  let last;

  handle.addEventListener('pointerdown', (event) => {
    handle.setPointerCapture(event.pointerId);
    element.classList.add('held');
    last = event;
  });
  handle.addEventListener('pointermove', (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    moveBy(element, note, event.clientX - last.clientX, event.clientY - last.clientY);
    last = event;
  });
  handle.addEventListener('lostpointercapture', () => {
    element.classList.remove('held');
    keepNotes(notes);
  });
}

function moveByKeys(handle, element, note) {
  handle.addEventListener('keydown', (event) => {
    const direction = arrows[event.key];
    if (!direction) return;
    event.preventDefault();
    moveBy(element, note, direction[0] * 12, direction[1] * 12);
    keepNotes(notes);
  });
}

// People who do not see the board tell its notes apart by how they begin.
function nameParts(element, note) {
  const title = note.text.slice(0, 24) || 'empty note';
  element.querySelector('.move').ariaLabel = `Move: ${title}`;
  element.querySelector('.tint').ariaLabel = `Change color: ${title}`;
  element.querySelector('.remove').ariaLabel = `Remove: ${title}`;
  element.querySelector('textarea').ariaLabel = `Text: ${title}`;
}

function changeTint(element, note) {
  note.tint = tints[(tints.indexOf(note.tint) + 1) % tints.length];
  place(element, note);
  keepNotes(notes);
}

function remove(element, note) {
  notes.splice(notes.indexOf(note), 1);
  element.remove();
  keepNotes(notes);
  addButton.focus();
}

function showNote(note) {
  const element = template.content.firstElementChild.cloneNode(true);
  const handle = element.querySelector('.move');
  const text = element.querySelector('textarea');

  text.value = note.text;
  text.addEventListener('input', () => {
    note.text = text.value;
    nameParts(element, note);
    keepNotes(notes);
  });

  dragBy(handle, element, note);
  moveByKeys(handle, element, note);
  element.querySelector('.tint').addEventListener('click', () => changeTint(element, note));
  element.querySelector('.remove').addEventListener('click', () => remove(element, note));
  for (const type of ['pointerdown', 'focusin']) {
    element.addEventListener(type, () => (element.style.zIndex = ++top));
  }

  nameParts(element, note);
  place(element, note);
  board.append(element);
  return text;
}

addButton.addEventListener('click', () => {
  const count = notes.length;
  const note = {
    text: '',
    x: (0.3 + count * 0.13) % 1,
    y: (0.2 + count * 0.17) % 1,
    tint: tints[count % 4],
  };
  notes.push(note);
  showNote(note).focus();
  keepNotes(notes);
});

for (const note of notes) showNote(note);
