import { LocalAssets } from '@vitrine/collaboration/local-assets';
import { VitrineError, type FileContent } from '@vitrine/project';
import { readFile } from '../workspace/assets/read-files.ts';
import { createLocalDraft, listDraftTitles, numberTitle } from '../workspace/saving/drafts.ts';
import type { FoundFile } from '../workspace/tree/uploaded-files.ts';

/**
 * Creates a draft with these files on this device and returns its path. Rejects with a
 * `VitrineError`, among others `device_full`.
 *
 * @param owner Id of the user. Null for a visitor.
 */
export async function createImportedDraft(
  owner: string | null,
  { title, files }: { readonly title: string; readonly files: readonly FoundFile[] },
): Promise<string> {
  const local = new LocalAssets();
  const contents: [path: string, content: FileContent][] = [];
  for (const file of files) {
    const { path, content } = await readFile(file, async (bytes, mediaType) => {
      const { hash, stored } = await local.add(bytes);
      if (stored !== 'stored') throw new VitrineError('device_full', file.path);
      return { asset: { kind: 'asset', hash, size: bytes.length, mediaType }, bytes: undefined };
    });
    contents.push([path, content]);
  }
  const taken = new Set(await listDraftTitles(owner));
  const id = await createLocalDraft(owner, { title: numberTitle(title, taken), files: contents });
  return `/draft/${id}`;
}
