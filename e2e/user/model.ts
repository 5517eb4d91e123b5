/**
 * What a project holds and where its user is, as far as a walk knows without a browser. Actions change
 * the model, a browser does the same in the app, and the oracle compares the two.
 */
import { posix } from 'node:path';
import { createRandom } from '../endure/kills.ts';

/** Something that an edit has put on the page, and by which the page is checked without a second one. */
interface Mark {
  readonly path: string;
  /** `text`: the page has these words; `color`: its first heading has this color; `word`: `data-word` of the body. */
  readonly kind: 'text' | 'color' | 'word';
  readonly value: string;
}

export type Template = (typeof templates)[number];
/** Those of `/new` whose pages show the same each time. */
export const templates = [
  'html',
  'empty',
  'typescript',
  'react',
  'preact',
  'vue',
  'svelte',
  'markdown',
  'tailwind',
] as const;

/** As the menu calls them. */
export const runModes = ['As you type', 'After a pause', 'Manually'] as const;
type RunMode = (typeof runModes)[number];
export const visibilities = ['Private', 'Unlisted', 'Public'] as const;

/** What the package server writes. */
export const manifests: readonly string[] = ['package.json', 'package-lock.json'];

export interface Model {
  readonly template: Template;
  /** Texts by path, from when the browser has first shown them. */
  readonly files: Map<string, string>;
  marks: readonly Mark[];
  kind: 'draft' | 'project';
  visibility: (typeof visibilities)[number];
  connection: 'online' | 'offline';
  /** An edit was made while there was no connection. */
  hasUnsent: boolean;
  runMode: RunMode;
  /** The version that the project has of the package `greeting`. */
  greeting: string | undefined;
  /** The package server has written the manifests, in words of its own. */
  isUnread: boolean;
  /** Of edits, for words that no other edit has written. */
  edits: number;
}

export function createModel(template: Template, files: ReadonlyMap<string, string>): Model {
  return {
    template,
    files: new Map(files),
    marks: [],
    kind: 'draft',
    visibility: 'Private',
    connection: 'online',
    hasUnsent: false,
    runMode: 'As you type',
    greeting: undefined,
    isUnread: false,
    edits: 0,
  };
}

/** A choice among things, the same for the same seed. */
export class Choice {
  readonly #random: () => number;

  constructor(seed: number) {
    // Neighboring seeds begin with neighboring numbers otherwise.
    this.#random = createRandom(Math.imul(seed + 1, 2_654_435_761) >>> 0);
    this.#random();
  }

  /** An integer from 0 to `below - 1`. */
  number(below: number): number {
    return Math.floor(this.#random() * below);
  }

  of<T>(things: readonly T[]): T | undefined {
    return things[this.number(things.length)];
  }

  /** Each thing as likely as its weight says. */
  weighted<T extends { readonly weight: number }>(things: readonly T[]): T | undefined {
    let at = this.#random() * things.reduce((sum, { weight }) => sum + weight, 0);
    return things.find(({ weight }) => (at -= weight) < 0) ?? things.at(-1);
  }
}

/** The replacement of a stretch of a file by what is typed over it. */
export interface TextEdit {
  readonly path: string;
  /** The file's text until then. */
  readonly before: string;
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** What may be typed into files of a language, and stays valid in it. */
interface ValidEdit {
  readonly path: RegExp;
  /** Its first group is typed over. */
  readonly find?: RegExp;
  /** The text for the edit of this number. */
  insert?(number: number, choice: Choice): string;
  /** Where nothing is found to type over: the text added before what `before` finds, or at the end. */
  add?(number: number, choice: Choice): string;
  readonly before?: RegExp;
  readonly shows?: Mark['kind'];
}

const word = (number: number) => `Robin ${number}`;
const paragraph = (number: number) => `<p>${word(number)}</p>\n`;
const hex = (_: number, choice: Choice) => (0x100000 + choice.number(0xeeeeee)).toString(16);
const rgb = (number: number, choice: Choice) =>
  `rgb(${number % 256}, ${choice.number(256)}, ${choice.number(256)})`;

const markup = /^(?:index\.html|(?:.*\/)?App\.(?:vue|svelte|[jt]sx))$/;
const styles = /^(?:.*\/)?style\.s?css$/;
const scripts = /^(?:.*\/)?(?:script|main)\.[jt]sx?$/;

const validEdits: readonly ValidEdit[] = [
  { path: markup, find: /<h1[^>]*>([^<{]+)<\/h1>/d, insert: word, shows: 'text' },
  { path: markup, find: /<p[^>]*>([^<{]+)<\/p>/d, insert: word, shows: 'text' },
  { path: markup, before: /<\/(?:main|body)>/, add: paragraph, shows: 'text' },
  { path: markup, find: />\s*([A-Z]\w+): </d, insert: (number) => `Wren${number}` },
  { path: /\.html$/, find: /\btext-([2-5]xl)\b/d, insert: (number) => `${2 + (number % 4)}xl` },
  { path: /\.md$/, find: /^# (.+)$/dm, insert: word, shows: 'text' },
  { path: /\.md$/, find: /\*\*([^*]+)\*\*/d, insert: word, shows: 'text' },
  { path: /\.md$/, add: (number) => `\nA line of ${word(number)}.\n`, shows: 'text' },
  { path: /\.(?:s?css|vue|svelte)$/, find: /#([0-9a-f]{6})\b/d, insert: hex },
  { path: styles, find: /padding: (\d+)px/d, insert: (number) => String(10 + (number % 30)) },
  {
    path: styles,
    find: /^h1 \{\n {2}color: (rgb\([^)]*\));\n\}$/dm,
    insert: rgb,
    add: (number, choice) => `\nh1 {\n  color: ${rgb(number, choice)};\n}\n`,
    shows: 'color',
  },
  {
    path: scripts,
    find: /^document\.body\.dataset\.word = '([^']*)';$/dm,
    insert: word,
    add: (number) => `\ndocument.body.dataset.word = '${word(number)}';\n`,
    shows: 'word',
  },
];

/** Chooses what to type into which file, and has the model know it; undefined where no file takes an edit. */
export function editAny(model: Model, choice: Choice): TextEdit | undefined {
  const possible = [...model.files].flatMap(([path, text]) =>
    validEdits.flatMap((valid) => {
      const place = valid.path.test(path) ? findPlace(text, valid) : undefined;
      return place ? [{ path, text, ...place, shows: valid.shows }] : [];
    }),
  );
  const chosen = choice.of(possible);
  if (!chosen) return undefined;
  const { path, text, from, to, write, shows } = chosen;
  const insert = write(++model.edits, choice);
  const over = text.slice(from, to);
  // A page has one color of its heading, and one word.
  const isOver = (mark: Mark) =>
    (mark.path === path && mark.value === over) || (shows !== 'text' && mark.kind === shows);
  model.marks = model.marks.filter((mark) => !isOver(mark));
  if (shows)
    model.marks = [...model.marks, { path, kind: shows, value: shownValue(shows, insert) }];
  return writeEdit(model, { path, from, to, insert });
}

/** Where an edit is typed, in offsets of the text, and what; undefined where the text has no such place. */
function findPlace(text: string, { find, insert, add, before }: ValidEdit) {
  const [from, to] = find?.exec(text)?.indices?.[1] ?? [];
  if (insert && from !== undefined && to !== undefined) return { from, to, write: insert };
  const at = before ? text.search(before) : text.length;
  return add && at >= 0 ? { from: at, to: at, write: add } : undefined;
}

function shownValue(kind: Mark['kind'], insert: string): string {
  const pattern = kind === 'color' ? /rgb\([^)]*\)/ : /Robin \d+/;
  return pattern.exec(insert)?.[0] ?? insert;
}

/** Has the model know an edit. */
export function writeEdit(model: Model, edit: Omit<TextEdit, 'before'>): TextEdit {
  const before = model.files.get(edit.path);
  if (before === undefined) throw new Error(`the model has no ${edit.path}`);
  model.files.set(edit.path, before.slice(0, edit.from) + edit.insert + before.slice(edit.to));
  noteChange(model);
  return { ...edit, before };
}

/** Has the model know that there is something to send. */
export function noteChange(model: Model): void {
  if (model.connection === 'offline') model.hasUnsent = true;
}

/** Adds text at the end of a file. */
export function appendTo(model: Model, path: string, insert: string): TextEdit {
  const { length } = model.files.get(path) ?? '';
  return writeEdit(model, { path, from: length, to: length, insert });
}

/** Replaces some words wherever they stand, in files and in what they show. */
export function replaceEverywhere(model: Model, words: string, by: string): void {
  for (const [path, text] of model.files) model.files.set(path, text.replaceAll(words, by));
  model.marks = model.marks.map((mark) => ({ ...mark, value: mark.value.replaceAll(words, by) }));
}

/** Gives a file another path; links to it, and its own to others, follow. */
export function moveFile(model: Model, from: string, to: string): void {
  noteChange(model);
  const moved = (path: string) => (path === from ? to : path);
  const files = [...model.files].map(([path, text]): [string, string] => {
    const write = (whole: string, quote: string, link: string) => {
      const target = posix.join(posix.dirname(path), link);
      if (!model.files.has(target) || (path !== from && target !== from)) return whole;
      const next = posix.relative(posix.dirname(moved(path)), moved(target));
      const isBare = !link.startsWith('.') || next.startsWith('.');
      return `${quote}${isBare ? next : `./${next}`}${quote}`;
    };
    return [moved(path), text.replaceAll(/(["'])([\w./-]+\.\w+)\1/g, write)];
  });
  model.files.clear();
  for (const [path, text] of files) model.files.set(path, text);
  model.marks = model.marks.map((mark) => ({ ...mark, path: moved(mark.path) }));
}
