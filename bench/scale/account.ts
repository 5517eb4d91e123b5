/** A user in a browser and at the backend, who saves projects with any files. */
import type { AssetFile, FileContent } from '@vitrine/project';
import type { BrowserContext } from 'playwright-core';
import {
  credentials,
  openProduct,
  createProjectArguments,
  signInToProduct,
  uploadAsset,
  username,
} from '../workspace/product.ts';
import type { BenchServer } from '../workspace/server.ts';

export interface BenchAccount {
  /** Saves a public project. Resolves to its URL. */
  save(files: ReadonlyMap<string, FileContent>): Promise<string>;
  /** Uploads the bytes of an asset. */
  upload(bytes: Uint8Array<ArrayBuffer>, mediaType: string): Promise<AssetFile>;
}

/** Signs up in this browser. */
export async function createBenchAccount(
  context: BrowserContext,
  workspace: BenchServer,
): Promise<BenchAccount> {
  const page = await context.newPage();
  await page.goto(`${workspace.address}/auth/sign-up`);
  await page.getByLabel('Email').fill(credentials.email);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(credentials.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('button', { name: `Account menu for ${username}` }).waitFor();
  await page.close();
  const product = await openProduct(workspace);
  const token = await signInToProduct(product);
  return {
    async save(files) {
      const { slug } = await product.post(
        '/rest/v1/rpc/create_project',
        createProjectArguments(files),
        token,
      );
      return `${workspace.address}/@${username}/${slug}`;
    },
    upload: (bytes, mediaType) => uploadAsset(product, token, bytes, mediaType),
  };
}
