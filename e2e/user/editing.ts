/** Actions in the editor: typing, mistakes, undo and editor commands. */
import type { Action } from './action.ts';
import {
  appendTo,
  editAny,
  replaceEverywhere,
  runModeLabels,
  applyEdit,
  type SeededChoice,
  type Model,
  type PlannedEdit,
} from './model.ts';
import {
  enterText,
  chooseFromMenu,
  openFile,
  poll,
  readEditor,
  reload,
  runProject,
  select,
  typeEdit,
  until,
} from './user-page.ts';
import type { World } from './world.ts';

/** Matches files that run as code. */
const isCode = /(?:^|\/)(?:script|main|App)\.[jt]sx?$/;

export const editingActions: readonly Action[] = [
  {
    name: 'edit',
    weight: 30,
    worksOffline: true,
    plan(model, choice) {
      const edit = editAny(model, choice);
      return edit && (({ person }) => typeEdit(person, edit));
    },
  },
  {
    // Some of the edits are made while earlier ones are being saved.
    name: 'edit several times in a row',
    weight: 6,
    worksOffline: true,
    plan(model, choice) {
      const edits = Array.from({ length: 5 }, () => editAny(model, choice));
      if (edits.includes(undefined)) return undefined;
      return async ({ person }) => {
        for (const edit of edits) if (edit) await typeEdit(person, edit);
      };
    },
  },
  {
    name: 'undo and redo',
    weight: 4,
    worksOffline: true,
    plan(model, choice) {
      const edit = editAny(model, choice);
      if (!edit) return undefined;
      const after = textOf(model, edit);
      return async (world) => {
        await typeEdit(world.person, edit);
        await undoAndRedo(world, edit, after);
      };
    },
  },
  {
    name: 'undo and redo after a reload',
    weight: 3,
    plan(model, choice) {
      const edit = editAny(model, choice);
      if (!edit) return undefined;
      const after = textOf(model, edit);
      return async (world) => {
        await typeEdit(world.person, edit);
        await reload(world.person);
        await undoAndRedo(world, edit, after);
      };
    },
  },
  {
    name: 'make a mistake and fix it',
    weight: 6,
    allows: /uncaught|console error/,
    plan(model, choice) {
      const code = choice.of(['\nconst = 1;\n', '\nnull.missing;\n', '\nmissing();\n']) ?? '';
      const [mistake, fix] = planDetour(model, choice, code) ?? [];
      return mistake && fix && ((world) => makeMistake(world, mistake, fix));
    },
  },
  {
    name: 'loop and fix it',
    weight: 2,
    plan(model, choice) {
      const stops = choice.number(2) === 0;
      const [mistake, fix] = planDetour(model, choice, '\nfor (;;);\n') ?? [];
      return mistake && fix && ((world) => loop(world, { mistake, fix, stops }));
    },
  },
  {
    name: 'format',
    weight: 2,
    plan(model, choice) {
      // Edits leave stylesheets as Prettier would format them, except for quotes and for the blank
      // first line of those that were empty.
      const path = choice.of(
        [...model.files].flatMap(([each, text]) =>
          /\.s?css$/.test(each) && /^\S/.test(text) && !text.includes("'") ? [each] : [],
        ),
      );
      if (path === undefined) return undefined;
      const formatted = model.files.get(path);
      const loose = applyEdit(model, { path, from: 0, to: 0, insert: '\n\n\n' });
      applyEdit(model, { path, from: 0, to: 3, insert: '' });
      return async (world) => {
        await typeEdit(world.person, loose);
        await world.person.page.keyboard.press('Shift+Alt+F');
        await until(
          `${path} formatted`,
          async () => (await readEditor(world.person, path)) === formatted,
        );
      };
    },
  },
  {
    name: 'replace in all files',
    weight: 2,
    worksOffline: true,
    plan(model, choice) {
      const texts = [...model.files.values()].join('\n');
      const words = choice.of([...new Set(texts.match(/\bRobin \d+/g))]);
      if (words === undefined) return undefined;
      const by = `Finch ${++model.edits}`;
      replaceEverywhere(model, words, by);
      return (world) => replaceInAll(world, words, by);
    },
  },
  {
    name: 'rename a symbol',
    weight: 2,
    plan(model, choice) {
      const path = choice.of([...model.files.keys()].filter((each) => isCode.test(each)));
      const text = path === undefined ? '' : (model.files.get(path) ?? '');
      const found = /\bcount\d*\b/.exec(text);
      if (path === undefined || !found) return undefined;
      const [name] = found;
      const by = `count${++model.edits}`;
      const renamed = text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), by);
      model.files.set(path, renamed);
      return (world) => renameSymbol(world, { path, at: found.index, name, by, renamed });
    },
  },
  {
    name: 'change the run mode',
    weight: 2,
    worksOffline: true,
    plan(model, choice) {
      const mode = choice.of(runModeLabels.filter((each) => each !== model.runMode));
      if (mode === undefined) return undefined;
      model.runMode = mode;
      return ({ person }) => chooseFromMenu(person, 'menuitemradio', mode);
    },
  },
  {
    name: 'run',
    weight: 2,
    worksOffline: true,
    plan:
      () =>
      ({ person }) =>
        runProject(person),
  },
  {
    name: 'reload the preview',
    weight: 2,
    worksOffline: true,
    plan:
      () =>
      ({ person: { page } }) =>
        page.getByRole('button', { name: 'Reload result' }).click(),
  },
];

function textOf(model: Model, { path }: PlannedEdit): string {
  return model.files.get(path) ?? '';
}

/** Plans code at the end of a file, and its removal. */
function planDetour(
  model: Model,
  choice: SeededChoice,
  code: string,
): readonly [PlannedEdit, PlannedEdit] | undefined {
  const path = choice.of([...model.files.keys()].filter((each) => isCode.test(each)));
  if (path === undefined) return undefined;
  const mistake = appendTo(model, path, code);
  const from = mistake.before.length;
  return [mistake, applyEdit(model, { path, from, to: from + code.length, insert: '' })];
}

/** Undoes and redoes until the file has the texts, because typing may be several undo steps. */
async function undoAndRedo({ person }: World, { path, before }: PlannedEdit, after: string) {
  const press = async (keys: string, text: string) => {
    const isThere = async () => (await readEditor(person, path)) === text || undefined;
    for (let presses = 0; presses < 10; presses += 1) {
      if (await poll(isThere, 500)) return;
      await person.page.keyboard.press(keys);
    }
    throw new Error(
      `${keys} brought ${path} to\n${await readEditor(person, path)}\nnot to\n${text}`,
    );
  };
  await openFile(person, path);
  await until(
    `${path} in the editor before undo`,
    async () => (await readEditor(person, path)) === after,
  );
  await person.editor(path).first().focus();
  await press('ControlOrMeta+Z', before);
  await press('ControlOrMeta+Shift+Z', after);
}

const alertOf = ({ person }: World) =>
  person.page.getByRole('region', { name: 'Result' }).getByRole('alert');

async function makeMistake(world: World, mistake: PlannedEdit, fix: PlannedEdit): Promise<void> {
  await typeEdit(world.person, mistake);
  await runManually(world);
  await until('a word about the mistake', async () => (await alertOf(world).count()) > 0);
  await typeEdit(world.person, fix);
}

interface Loop {
  readonly mistake: PlannedEdit;
  readonly fix: PlannedEdit;
  /** The user stops the run before the fix. */
  readonly stops: boolean;
}

async function loop(world: World, { mistake, fix, stops }: Loop): Promise<void> {
  const { person } = world;
  await typeEdit(person, mistake);
  await runManually(world);
  const stop = person.page.getByRole('banner').getByRole('button', { name: 'Stop', exact: true });
  await stop.waitFor({ timeout: 60_000 });
  // A page that hangs has Stop in place of Run.
  const hasToStop = stops || world.model.runMode === 'Manually';
  if (hasToStop) await stop.click();
  await typeEdit(person, fix);
  if (hasToStop) await runProject(person);
}

async function runManually({ person, model }: World): Promise<void> {
  if (model.runMode === 'Manually') await runProject(person);
}

async function replaceInAll({ person: { page } }: World, words: string, by: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+F');
  await enterText(page.getByRole('searchbox', { name: 'Search in files' }), words);
  const field = page.getByRole('textbox', { name: 'Replace with' });
  if ((await field.count()) === 0)
    await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await enterText(field, by);
  await page.getByRole('button', { name: 'Replace all' }).click();
  await page
    .getByText(/^Replaced \d+ match/)
    .first()
    .waitFor();
}

interface Renaming {
  readonly path: string;
  /** Offset of its first occurrence. */
  readonly at: number;
  readonly name: string;
  readonly by: string;
  readonly renamed: string;
}

async function renameSymbol({ person }: World, { path, at, name, by, renamed }: Renaming) {
  const { page } = person;
  await openFile(person, path);
  await select(person, { path, from: at, to: at });
  const field = page.getByRole('textbox', { name: `Rename ${name} to` });
  // The language service may still be loading.
  await until('the field of the new name', async () => {
    await page.keyboard.press('F2');
    await field.waitFor({ timeout: 2_000 });
    return true;
  });
  await enterText(field, by);
  await field.press('Enter');
  await until(
    `${name} renamed in ${path}`,
    async () => (await readEditor(person, path)) === renamed,
  );
}
