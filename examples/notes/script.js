import { loadNotes, keepNotes } from './lib/store.js';

const board = document.querySelector('main');
const template = document.querySelector('template');
const tints = ['yellow', 'pink', 'blue', 'green'];

const notes = loadNotes() ?? [
  { text: 'Write on any of these.', x: 0.02, y: 0.06, tint: 'yellow' },
  { text: 'Drag a note by its top, or move it with the arrow keys.', x: 0.94, y: 0, tint: 'blue' },
  { text: '● changes the paper, × throws it away.', x: 0.06, y: 0.94, tint: 'pink' },
  { text: 'They will still be here tomorrow.', x: 0.64, y: 0.58, tint: 'green' },
];

const clamp = (value) => Math.min(1, Math.max(0, value));

function place(element, note) {
  element.style.setProperty('--x', note.x);
  element.style.setProperty('--y', note.y);
  element.style.setProperty('--tint', `var(--${note.tint})`);
  element.style.setProperty('--tilt', `${((note.x * 7 + note.y * 5) % 4) - 2}deg`);
}

// Turns a distance in pixels into a part of the free room, as style.css counts it.
function moveBy(element, note, dx, dy) {
  note.x = clamp(note.x + dx / (board.clientWidth - element.offsetWidth));
  note.y = clamp(note.y + dy / (board.clientHeight - element.offsetHeight));
  place(element, note);
}

function showNote(note) {
  const element = template.content.firstElementChild.cloneNode(true);
  const [handle, tint, remove] = element.querySelectorAll('button');
  const text = element.querySelector('textarea');

  function nameParts() {
    const title = note.text.slice(0, 24) || 'empty note';
    handle.setAttribute('aria-label', `Move: ${title}`);
    tint.setAttribute('aria-label', `Change colour: ${title}`);
    remove.setAttribute('aria-label', `Remove: ${title}`);
    text.setAttribute('aria-label', `Text: ${title}`);
  }

  text.value = note.text;
  text.addEventListener('input', () => {
    note.text = text.value;
    nameParts();
    keepNotes(notes);
  });

  // A captured pointer keeps reporting to the handle, however fast it moves.
  handle.addEventListener('pointerdown', (event) => {
    handle.setPointerCapture(event.pointerId);
    element.classList.add('held');
    board.append(element);
  });
  handle.addEventListener('pointermove', (event) => {
    if (handle.hasPointerCapture(event.pointerId)) {
      moveBy(element, note, event.movementX, event.movementY);
    }
  });
  handle.addEventListener('lostpointercapture', () => {
    element.classList.remove('held');
    keepNotes(notes);
  });

  handle.addEventListener('keydown', (event) => {
    const steps = {
      ArrowLeft: [-12, 0],
      ArrowRight: [12, 0],
      ArrowUp: [0, -12],
      ArrowDown: [0, 12],
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    moveBy(element, note, ...step);
    keepNotes(notes);
  });

  tint.addEventListener('click', () => {
    note.tint = tints[(tints.indexOf(note.tint) + 1) % tints.length];
    place(element, note);
    keepNotes(notes);
  });

  remove.addEventListener('click', () => {
    notes.splice(notes.indexOf(note), 1);
    element.remove();
    keepNotes(notes);
    document.querySelector('#add').focus();
  });

  nameParts();
  place(element, note);
  board.append(element);
  return text;
}

document.querySelector('#add').addEventListener('click', () => {
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
