/** Actions on whole files: the tree, tests and packages. */
import { posix } from 'node:path';
import { field, item, openPanel, panel } from '../rig/packages-panel.ts';
import type { Action } from './action.ts';
import {
  appendTo,
  manifests,
  moveFile,
  markUnsent,
  applyEdit,
  type SeededChoice,
  type Model,
  type PlannedEdit,
} from './model.ts';
import {
  enterText,
  focusTreeRow,
  openFile,
  patience,
  readEditor,
  showPanel,
  typeEdit,
  until,
} from './user-page.ts';
import type { World } from './world.ts';

const isFirstPage = /^index\.(?:html|md)$/;

/** Complaint about a package of the instance that the test registry doesn't have. */
const unpublished = /status of 404.*\/npm\/-\/package\//;

export const projectFileActions: readonly Action[] = [
  {
    name: 'add a stylesheet',
    weight: 3,
    isStructural: true,
    worksOffline: true,
    plan(model) {
      const at = model.files.get('index.html')?.indexOf('</head>') ?? -1;
      if (at < 0) return undefined;
      const number = ++model.edits;
      const path = `bird${number}.css`;
      const create = planFile(model, path, `p {\n  font-size: ${20 + (number % 20)}px;\n}\n`);
      const insert = `<link rel="stylesheet" href="${path}" />\n`;
      const link = applyEdit(model, { path: 'index.html', from: at, to: at, insert });
      return async (world) => {
        await createFile(world, create);
        await typeEdit(world.person, link);
      };
    },
  },
  {
    name: 'add a module',
    weight: 3,
    isStructural: true,
    worksOffline: true,
    plan(model) {
      const importer = [...model.files.keys()].find((path) =>
        /(?:^|\/)(?:script|main)\.[jt]sx?$/.test(path),
      );
      if (importer === undefined) return undefined;
      const name = `bird${++model.edits}`;
      const path = `${name}.${/\.tsx?$/.test(importer) ? 'ts' : 'js'}`;
      const create = planFile(model, path, `export const ${name} = 'Robin ${model.edits}';\n`);
      const link = posix.relative(posix.dirname(importer), path);
      const from = link.startsWith('.') ? link : `./${link}`;
      const code = `\nimport { ${name} } from '${from}';\ndocument.body.dataset.${name} = ${name};\n`;
      const imports = appendTo(model, importer, code);
      return async (world) => {
        await createFile(world, create);
        await typeEdit(world.person, imports);
      };
    },
  },
  {
    name: 'move a file',
    weight: 4,
    isStructural: true,
    worksOffline: true,
    plan(model, choice) {
      const path = chooseFile(model, choice);
      if (path === undefined) return undefined;
      const { base } = posix.parse(path);
      const folder = choice.of(['', 'src/', 'assets/', 'assets/deep/']) ?? '';
      const to = `${folder}${base}`;
      if (model.files.has(to)) return undefined;
      moveFile(model, path, to);
      return async ({ person }) => {
        await focusTreeRow(person, path);
        await person.page.keyboard.press('F2');
        const name = person.page.getByRole('textbox', { name: `Rename ${path}` });
        await enterText(name, to);
        await name.press('Enter');
        await name.waitFor({ state: 'detached' });
        await openFile(person, to);
      };
    },
  },
  {
    name: 'delete a file and bring it back',
    weight: 3,
    isStructural: true,
    worksOffline: true,
    // Meanwhile, the page can't find it.
    allows: /404|MIME type|Failed to (?:load|fetch)|uncaught|console error/,
    plan(model, choice) {
      const path = chooseFile(model, choice);
      if (path === undefined) return undefined;
      markUnsent(model);
      return async ({ person }) => {
        await focusTreeRow(person, path);
        await person.page.keyboard.press('Delete');
        const toast = person.page
          .getByRole('dialog')
          .filter({ hasText: `Deleted ${path}` })
          .first();
        await toast.getByRole('button', { name: 'Undo' }).click();
        await openFile(person, path);
      };
    },
  },
  {
    name: 'delete a file',
    weight: 2,
    isStructural: true,
    worksOffline: true,
    allows: /404|MIME type|Failed to (?:load|fetch)/,
    plan(model, choice) {
      const path = choice.of([...model.files.keys()].filter((each) => /bird\d+\.css$/.test(each)));
      const html = model.files.get('index.html');
      const from = html?.search(new RegExp(`<link [^>]*${path ?? ''}" />\\n`)) ?? -1;
      if (path === undefined || html === undefined || from < 0) return undefined;
      const to = html.indexOf('\n', from) + 1;
      const unlink = applyEdit(model, { path: 'index.html', from, to, insert: '' });
      model.files.delete(path);
      return async ({ person }) => {
        await typeEdit(person, unlink);
        await focusTreeRow(person, path);
        await person.page.keyboard.press('Delete');
        await person.page
          .getByRole('tab', { name: path, exact: true })
          .waitFor({ state: 'detached' });
      };
    },
  },
  {
    name: 'write a test',
    weight: 2,
    isStructural: true,
    plan(model) {
      if ([...model.files.keys()].some((path) => path.includes('.test.'))) return undefined;
      const isTyped = [...model.files.keys()].some((path) => /\.tsx?$/.test(path));
      const path = `script.test.${isTyped ? 'ts' : 'js'}`;
      model.files.set(
        path,
        "import { expect, test } from 'vitest';\n\ntest('adds', () => {\n  expect(1 + 2).toBe(3);\n});\n",
      );
      return async ({ person: { page } }) => {
        await page.getByRole('tab', { name: 'Tests', exact: true }).click();
        await page.getByRole('button', { name: 'Add test' }).click();
        // The test runner is loaded and built for the first test.
        await page
          .getByRole('status', { name: 'Test status' })
          .filter({ hasText: '1 passed' })
          .waitFor({ timeout: 2 * patience });
        await page.getByRole('button', { name: 'Close panel' }).click();
      };
    },
  },
  {
    name: 'add a package',
    weight: 3,
    isStructural: true,
    allows: unpublished,
    plan(model) {
      if (model.greeting !== undefined) return undefined;
      model.greeting = '1.0.0';
      forgetManifests(model);
      return async ({ person }) => {
        await showPackages(person);
        await enterText(field(person), 'greeting@1.0.0');
        await field(person).press('Enter');
        await item(person, 'greeting@1.0.0').waitFor();
      };
    },
  },
  {
    name: 'update a package',
    weight: 2,
    isStructural: true,
    allows: unpublished,
    plan(model) {
      if (model.greeting !== '1.0.0') return undefined;
      model.greeting = '2.0.0';
      forgetManifests(model);
      return async ({ person }) => {
        await showPackages(person);
        await panel(person).getByRole('button', { name: 'Update greeting to 2.0.0' }).click();
        await item(person, 'greeting@2.0.0').waitFor();
      };
    },
  },
  {
    name: 'use a package',
    weight: 3,
    plan(model) {
      const importer = [...model.files].find(
        ([path, text]) =>
          /(?:^|\/)(?:script|main)\.[jt]sx?$/.test(path) && !text.includes("'greeting'"),
      );
      if (model.greeting === undefined || !importer) return undefined;
      const code = `\nimport { greet } from 'greeting';\ndocument.body.dataset.greeting = greet('Ann');\n`;
      const edit = appendTo(model, importer[0], code);
      return ({ person }) => typeEdit(person, edit);
    },
  },
  {
    name: 'remove a package',
    weight: 1,
    isStructural: true,
    plan(model) {
      const isUsed = [...model.files.values()].some((text) => text.includes("'greeting'"));
      const { greeting } = model;
      if (greeting === undefined || isUsed) return undefined;
      model.greeting = undefined;
      forgetManifests(model);
      return async ({ person }) => {
        await showPackages(person);
        await panel(person).getByRole('button', { name: 'Remove greeting' }).click();
        await item(person, `greeting@${greeting}`).waitFor({ state: 'detached' });
      };
    },
  },
];

/** Chooses any file that the project can do without. */
function chooseFile(model: Model, choice: SeededChoice): string | undefined {
  const paths = [...model.files.keys()];
  return choice.of(paths.filter((path) => !manifests.includes(path) && !isFirstPage.test(path)));
}

/** Marks the manifests as unread, because only the package server knows their text. */
function forgetManifests(model: Model): void {
  model.hasUnreadManifests = true;
  for (const path of manifests) if (!model.files.has(path)) model.files.set(path, '');
}

interface NewFile {
  readonly path: string;
  readonly fill: PlannedEdit;
}

function planFile(model: Model, path: string, insert: string): NewFile {
  model.files.set(path, '');
  return { path, fill: applyEdit(model, { path, from: 0, to: 0, insert }) };
}

async function createFile({ person }: World, { path, fill }: NewFile): Promise<void> {
  const { page } = person;
  await showPanel(person, 'Files');
  await page.getByRole('button', { name: 'New file' }).first().click();
  const name = page.getByRole('textbox', { name: 'New file name' });
  await enterText(name, path);
  await name.press('Enter');
  await until(`${path} in the editor`, async () => (await readEditor(person, path)) === '');
  await typeEdit(person, fill);
}

async function showPackages(person: World['person']): Promise<void> {
  if ((await panel(person).count()) === 0) await openPanel(person);
}
