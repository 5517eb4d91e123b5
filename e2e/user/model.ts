/**
 * A model of a project and its user that needs no browser. Actions change
 * the model, perform the same in the app, and the oracle compares the two.
 */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { createRandom } from '../endure/kills.ts';
import { createPng } from '../rig/png.ts';

/** A visible effect of an edit, which is checked in the preview. */
interface Mark {
  readonly path: string;
  /**
   * `text`: the page contains it; `color`: color of the first heading; `word`: `data-word` of the
   * body; `image`: the page has this asset as an image; `background`: the page's background is this
   * asset.
   */
  readonly kind: 'text' | 'color' | 'word' | 'image' | 'background';
  /** For assets, the path. */
  readonly value: string;
}

/** A picture. No other picture of a walk has its width. */
export interface Asset {
  readonly width: number;
  readonly bytes: Buffer;
  /** SHA-256 of the bytes. */
  readonly hash: string;
}

export type Template = (typeof templates)[number];
/** Templates of `/new` with deterministic pages. */
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

/** Labels in the menu. */
export const runModeLabels = ['As you type', 'After a pause', 'Manually'] as const;
type RunMode = (typeof runModeLabels)[number];
export const visibilityMenuLabels = ['Private', 'Unlisted', 'Public'] as const;

/** Files that the package server writes. */
export const manifests: readonly string[] = ['package.json', 'package-lock.json'];

/** The files of a project, and what they show. */
export interface ModelFiles {
  /** Texts by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly assets: ReadonlyMap<string, Asset>;
  readonly marks: readonly Mark[];
  /** The project's version of the package `greeting`. */
  readonly greeting: string | undefined;
}

type VersionReason = 'named' | 'restore' | 'import' | 'publish';

/** A saved version. Its number is its place in the project's versions, from 1. */
export interface ModelVersion extends ModelFiles {
  readonly reason: VersionReason;
  readonly message: string;
  /** Whether it has ever been published. */
  wasPublished: boolean;
}

export type Role = 'Viewer' | 'Editor';

export interface Model extends ModelFiles {
  readonly template: Template;
  readonly files: Map<string, string>;
  readonly assets: Map<string, Asset>;
  marks: readonly Mark[];
  greeting: string | undefined;
  kind: 'draft' | 'project';
  versions: readonly ModelVersion[];
  /** Number of the published version. */
  published: number | undefined;
  /** Role of the invited friend. */
  friendRole: Role | undefined;
  visibility: (typeof visibilityMenuLabels)[number];
  connection: 'online' | 'offline';
  /** Whether an edit was made offline. */
  hasUnsent: boolean;
  runMode: RunMode;
  /** Whether the package server has written the manifests, which must be read from the app. */
  hasUnreadManifests: boolean;
  /** Number of edits, to write unique words. */
  edits: number;
}

export function createModel(template: Template, files: ReadonlyMap<string, string>): Model {
  return {
    template,
    files: new Map(files),
    assets: new Map(),
    marks: [],
    kind: 'draft',
    versions: [],
    published: undefined,
    friendRole: undefined,
    visibility: 'Private',
    connection: 'online',
    hasUnsent: false,
    runMode: 'As you type',
    greeting: undefined,
    hasUnreadManifests: false,
    edits: 0,
  };
}

/** Seeded random choices. */
export class SeededChoice {
  readonly #random: () => number;

  constructor(seed: number) {
    // Without this, similar seeds would start with similar numbers.
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

  /** Chooses with a probability proportional to the weight. */
  weighted<T extends { readonly weight: number }>(things: readonly T[]): T | undefined {
    let at = this.#random() * things.reduce((sum, { weight }) => sum + weight, 0);
    return things.find(({ weight }) => (at -= weight) < 0) ?? things.at(-1);
  }
}

/** The replacement of a range of a file. */
export interface PlannedEdit {
  readonly path: string;
  /** The file's text before the edit. */
  readonly before: string;
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** An edit that keeps a file of a language valid. */
interface ValidEdit {
  readonly path: RegExp;
  /** The first group is replaced. */
  readonly find?: RegExp;
  /** The text of the edit with this number. */
  insert?(number: number, choice: SeededChoice): string;
  /** If `find` has no match: the text to add before the match of `before`, or at the end. */
  add?(number: number, choice: SeededChoice): string;
  readonly before?: RegExp;
  readonly shows?: Mark['kind'];
}

const word = (number: number) => `Robin ${number}`;
const paragraph = (number: number) => `<p>${word(number)}</p>\n`;
const hex = (_: number, choice: SeededChoice) => (0x100000 + choice.number(0xeeeeee)).toString(16);
const rgb = (number: number, choice: SeededChoice) =>
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

/** Chooses a valid edit and applies it to the model. Undefined if no file accepts one. */
export function editAny(model: Model, choice: SeededChoice): PlannedEdit | undefined {
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
  // A page has only one heading color and one word.
  const isOver = (mark: Mark) =>
    (mark.path === path && mark.value === over) || (shows !== 'text' && mark.kind === shows);
  model.marks = model.marks.filter((mark) => !isOver(mark));
  if (shows)
    model.marks = [...model.marks, { path, kind: shows, value: shownValue(shows, insert) }];
  return applyEdit(model, { path, from, to, insert });
}

/** Length in lines from which edits don't add to a file: editors render only what is near the view. */
const maxLines = 55;

/** Finds the range (offsets) and text of an edit. Undefined if the file has no match. */
function findPlace(text: string, { find, insert, add, before }: ValidEdit) {
  const [from, to] = find?.exec(text)?.indices?.[1] ?? [];
  if (insert && from !== undefined && to !== undefined) return { from, to, write: insert };
  if (text.split('\n').length >= maxLines) return undefined;
  const at = before ? text.search(before) : text.length;
  return add && at >= 0 ? { from: at, to: at, write: add } : undefined;
}

function shownValue(kind: Mark['kind'], insert: string): string {
  const pattern = kind === 'color' ? /rgb\([^)]*\)/ : /Robin \d+/;
  return pattern.exec(insert)?.[0] ?? insert;
}

/** Applies an edit to the model. */
export function applyEdit(model: Model, edit: Omit<PlannedEdit, 'before'>): PlannedEdit {
  const before = model.files.get(edit.path);
  if (before === undefined) throw new Error(`the model has no ${edit.path}`);
  model.files.set(edit.path, before.slice(0, edit.from) + edit.insert + before.slice(edit.to));
  markUnsent(model);
  return { ...edit, before };
}

/** Records in the model that there are unsent changes. */
export function markUnsent(model: Model): void {
  if (model.connection === 'offline') model.hasUnsent = true;
}

/** Adds text at the end of a file. */
export function appendTo(model: Model, path: string, insert: string): PlannedEdit {
  const { length } = model.files.get(path) ?? '';
  return applyEdit(model, { path, from: length, to: length, insert });
}

/** Puts an asset into the page, as an image or as its background. Undefined if no file accepts it. */
export function showAsset(model: Model, asset: string, kind: 'image' | 'background') {
  const valid = assetEdits[kind];
  const found = [...model.files].find(([path]) => valid.path.test(path));
  if (!found) return undefined;
  const [path, text] = found;
  const link = posix.relative(posix.dirname(path), asset);
  const [from, to] = valid.find?.exec(text)?.indices?.[1] ?? [];
  const at = valid.before ? text.search(valid.before) : text.length;
  if (at < 0) return undefined;
  const others = model.marks.filter((mark) => kind === 'image' || mark.kind !== kind);
  model.marks = [...others, { path, kind, value: asset }];
  return from !== undefined && to !== undefined
    ? applyEdit(model, { path, from, to, insert: link })
    : applyEdit(model, { path, from: at, to: at, insert: valid.add(link) });
}

/** Element that shows an asset, as `showAsset` writes it. */
export const imageElement = (link: string) => `<img src="${link}" alt="" />\n`;

/** Like `validEdits`, with the link to an asset. */
const assetEdits = {
  image: { path: /^index\.html$/, find: undefined, before: /<\/(?:main|body)>/, add: imageElement },
  background: {
    path: styles,
    find: /^html \{\n {2}background-image: url\("([^"]*)"\);\n\}$/dm,
    before: undefined,
    add: (link: string) => `\nhtml {\n  background-image: url("${link}");\n}\n`,
  },
};

/** Creates a picture with a width of its own. */
export function createAsset(model: Model): Asset {
  const width = 100 + ++model.edits;
  const bytes = createPng(width, 8);
  return { width, bytes, hash: createHash('sha256').update(bytes).digest('hex') };
}

/** The content of each file: its text, or the hash of an asset. */
export function getContents({ files, assets }: ModelFiles): Map<string, string> {
  const hashes = Array.from(assets, ([path, { hash }]): [string, string] => [
    path,
    `asset ${hash}`,
  ]);
  return new Map([...files, ...hashes]);
}

/** Paths of the files that differ. */
export function findDifferences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths.filter((path) => before.get(path) !== after.get(path));
}

export function copyFiles({ files, assets, marks, greeting }: ModelFiles): ModelFiles {
  return { files: new Map(files), assets: new Map(assets), marks, greeting };
}

/** Makes the files those of a version. */
export function restoreFiles(model: Model, version: ModelFiles): void {
  const { files, assets, marks, greeting } = copyFiles(version);
  model.files.clear();
  for (const [path, text] of files) model.files.set(path, text);
  model.assets.clear();
  for (const [path, asset] of assets) model.assets.set(path, asset);
  Object.assign(model, { marks, greeting });
}

/** Saves the files as a version. Only a named version may equal the newest one. */
export function addVersion(model: Model, reason: VersionReason, message = ''): void {
  const newest = model.versions.at(-1);
  if (reason !== 'named' && newest && !isChanged(model, newest)) return;
  const version = { ...copyFiles(model), reason, message, wasPublished: false };
  model.versions = [...model.versions, version];
}

/** Whether the files differ from those of a version. */
export function isChanged(model: Model, version: ModelFiles): boolean {
  return findDifferences(getContents(model), getContents(version)).length > 0;
}

/** Makes the model that of a new fork, which has no versions and no members. */
export function becomeFork(model: Model): void {
  Object.assign(model, {
    visibility: 'Private',
    versions: [],
    published: undefined,
    friendRole: undefined,
  } satisfies Partial<Model>);
}

/** The files that those who don't work on the project see. */
export function getPublished(model: Model): ModelFiles {
  return (model.published === undefined ? undefined : model.versions[model.published - 1]) ?? model;
}

/** Replaces text everywhere, in files and in their visible effects. */
export function replaceEverywhere(model: Model, words: string, by: string): void {
  for (const [path, text] of model.files) model.files.set(path, text.replaceAll(words, by));
  model.marks = model.marks.map((mark) => ({ ...mark, value: mark.value.replaceAll(words, by) }));
}

/** Moves a file, and updates links to it and its own relative links. */
export function moveFile(model: Model, from: string, to: string): void {
  markUnsent(model);
  const moved = (path: string) => (path === from ? to : path);
  const files = [...model.files].map(([path, text]): [string, string] => {
    const write = (whole: string, quote: string, link: string) => {
      const target = posix.join(posix.dirname(path), link);
      if (
        !(model.files.has(target) || model.assets.has(target)) ||
        (path !== from && target !== from)
      )
        return whole;
      const next = posix.relative(posix.dirname(moved(path)), moved(target));
      const isBare = !link.startsWith('.') || next.startsWith('.');
      return `${quote}${isBare ? next : `./${next}`}${quote}`;
    };
    return [moved(path), text.replaceAll(/(["'])([\w./-]+\.\w+)\1/g, write)];
  });
  model.files.clear();
  for (const [path, text] of files) model.files.set(path, text);
  const asset = model.assets.get(from);
  if (asset) {
    model.assets.delete(from);
    model.assets.set(to, asset);
  }
  model.marks = model.marks.map((mark) => ({
    ...mark,
    path: moved(mark.path),
    value: isOfAsset(mark) ? moved(mark.value) : mark.value,
  }));
}

const isOfAsset = ({ kind }: Mark) => kind === 'image' || kind === 'background';
