/** Actions on assets: upload, use in the page, replacement, renaming and deletion. */
import type { Action } from './action.ts';
import {
  addVersion,
  applyEdit,
  createAsset,
  imageElement,
  markUnsent,
  moveFile,
  showAsset,
  type Asset,
  type Model,
  type SeededChoice,
} from './model.ts';
import { enterText, showPanel, treeRow, typeEdit } from './user-page.ts';
import type { World } from './world.ts';

/** What the browser says about an asset that the page needs and that isn't there. */
const missing = /404|Failed to (?:load|fetch)/;

export const assetActions: readonly Action[] = [
  {
    name: 'upload assets',
    weight: 4,
    isStructural: true,
    worksOffline: true,
    plan(model, choice) {
      if (!canUpload(model)) return undefined;
      const added = Array.from({ length: 1 + choice.number(2) }, () => addAsset(model));
      return async (world) => {
        await showPanel(world.person, 'Files');
        await upload(world, added, async ({ page }) => {
          await page.getByRole('button', { name: 'File actions' }).click();
          await page.getByRole('menuitem', { name: 'Upload', exact: true }).click();
        });
        for (const [path] of added) await treeRow(world.person, path).waitFor();
      };
    },
  },
  {
    name: 'show an asset in the page',
    weight: 5,
    worksOffline: true,
    plan(model, choice) {
      const [path] = chooseAsset(model, choice) ?? [];
      // A page that was loaded before may need a connection for its bytes.
      if (path === undefined || !canUpload(model)) return undefined;
      const edit = showAsset(model, path, choice.number(3) === 0 ? 'background' : 'image');
      return edit && (({ person }) => typeEdit(person, edit));
    },
  },
  {
    name: 'replace an asset',
    weight: 2,
    isStructural: true,
    worksOffline: true,
    plan(model, choice) {
      const [path] = chooseAsset(model, choice) ?? [];
      if (path === undefined || !canUpload(model)) return undefined;
      if (model.kind === 'project') addVersion(model, 'import');
      const asset = createAsset(model);
      model.assets.set(path, asset);
      markUnsent(model);
      return async (world) => {
        await openAsset(world, path);
        await upload(world, [['other.png', asset]], ({ page }) =>
          page.getByRole('button', { name: 'Replace…' }).click(),
        );
        await world.person.page.getByText(`image/png · ${asset.width} × 8`).first().waitFor();
      };
    },
  },
  {
    // Offline, references are updated only if the app has loaded its link parsers before.
    name: 'rename an asset',
    weight: 3,
    isStructural: true,
    // Until the page is run with the new name, it has the old one.
    allows: missing,
    plan(model, choice) {
      const [path] = chooseAsset(model, choice) ?? [];
      if (path === undefined) return undefined;
      const folder = choice.of(['', 'assets/', 'assets/deep/']) ?? '';
      const to = `${folder}picture${++model.edits}.png`;
      moveFile(model, path, to);
      return async ({ person }) => {
        await showPanel(person, 'Files');
        await treeRow(person, path).focus();
        await person.page.keyboard.press('F2');
        const name = person.page.getByRole('textbox', { name: `Rename ${path}` });
        await enterText(name, to);
        await name.press('Enter');
        await treeRow(person, to).waitFor();
      };
    },
  },
  {
    name: 'delete an asset and bring it back',
    weight: 2,
    isStructural: true,
    worksOffline: true,
    allows: missing,
    plan(model, choice) {
      const [path] = chooseAsset(model, choice) ?? [];
      if (path === undefined) return undefined;
      markUnsent(model);
      return async (world) => {
        await deleteAsset(world, path);
        const toast = world.person.page
          .getByRole('dialog')
          .filter({ hasText: `Deleted ${path}` })
          .first();
        await toast.getByRole('button', { name: 'Undo' }).click();
        await treeRow(world.person, path).waitFor();
      };
    },
  },
  {
    name: 'delete an asset',
    weight: 2,
    isStructural: true,
    worksOffline: true,
    allows: missing,
    plan(model, choice) {
      const [path] = chooseAsset(model, choice, (each) => countReferences(model, each) < 2) ?? [];
      if (path === undefined) return undefined;
      const element = imageElement(path);
      const from = model.files.get('index.html')?.indexOf(element) ?? -1;
      if (from < 0 && countReferences(model, path) > 0) return undefined;
      const to = from + element.length;
      const edit =
        from < 0 ? undefined : applyEdit(model, { path: 'index.html', from, to, insert: '' });
      model.marks = model.marks.filter(({ kind, value }) => kind !== 'image' || value !== path);
      model.assets.delete(path);
      markUnsent(model);
      return async (world) => {
        if (edit) await typeEdit(world.person, edit);
        await deleteAsset(world, path);
      };
    },
  },
];

/** Assets of a saved project aren't added before they are uploaded. */
function canUpload({ kind, connection }: Model): boolean {
  return kind === 'draft' || connection === 'online';
}

type NamedAsset = readonly [path: string, asset: Asset];

function addAsset(model: Model): NamedAsset {
  const asset = createAsset(model);
  const path = `picture${model.edits}.png`;
  model.assets.set(path, asset);
  markUnsent(model);
  return [path, asset];
}

function chooseAsset(
  model: Model,
  choice: SeededChoice,
  isPossible: (path: string) => boolean = () => true,
): NamedAsset | undefined {
  return choice.of([...model.assets].filter(([path]) => isPossible(path)));
}

/** Counts how often the texts name an asset. */
function countReferences({ files }: Model, path: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return [...files.values()].join('\n').split(name).length - 1;
}

/** Uploads files with the dialog that `open` opens. */
async function upload(
  { person }: World,
  files: readonly NamedAsset[],
  open: (person: World['person']) => Promise<void>,
): Promise<void> {
  const [chooser] = await Promise.all([person.page.waitForEvent('filechooser'), open(person)]);
  await chooser.setFiles(
    files.map(([name, { bytes }]) => ({ name, mimeType: 'image/png', buffer: bytes })),
  );
}

async function openAsset({ person }: World, path: string): Promise<void> {
  await showPanel(person, 'Files');
  await treeRow(person, path).click();
  await person.page
    .getByText(/^image\/png · \d+ × 8 · /)
    .first()
    .waitFor();
}

async function deleteAsset({ person }: World, path: string): Promise<void> {
  await showPanel(person, 'Files');
  await treeRow(person, path).focus();
  await person.page.keyboard.press('Delete');
  await treeRow(person, path).waitFor({ state: 'detached' });
}
