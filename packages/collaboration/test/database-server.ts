import { isErrorCode, VitrineError, type ProjectFiles } from '@vitrine/project';
import { randomUUID } from 'node:crypto';
import { appendUpdates, createAssetRow, storeAssets } from '@vitrine/testing/schema-calls';
import { openWorld, testUserIds, type SchemaWorld } from '@vitrine/testing/schema-world';
import type { LoadDocument, SendUpdates } from '../src/index.ts';
import type { WireFile } from '../src/server-messages.ts';
import {
  connectionLost,
  encodeDocument,
  parseWireFile,
  type Fault,
  type ProjectServer,
} from './server-model.ts';

type Transaction = Parameters<Parameters<SchemaWorld['runAs']>[1]>[0];

/** Calls the functions of the migrated database as the project's owner. */
export class DatabaseServer implements ProjectServer {
  findFault: () => Fault | undefined = () => undefined;
  readonly #world: SchemaWorld;

  private constructor(world: SchemaWorld) {
    this.#world = world;
  }

  /** Opens a database in which the owner has uploaded assets of 4 bytes with the digits a and b. */
  static async open(): Promise<DatabaseServer> {
    const world = await openWorld();
    const rows = ['a', 'b'].map((digit) => createAssetRow('picture.png', digit));
    await storeAssets(world.sql, testUserIds.owner, rows);
    return new DatabaseServer(world);
  }

  async add(files: Record<string, string>): Promise<string> {
    const bytes = encodeDocument(files);
    const rows = Object.entries(files).map(([path, content]) => ({ path, content }));
    const [made] = await this.#world.runAs(
      'owner',
      (tx) => tx<{ id: string }[]>`
        select (public.create_project(
          id => ${randomUUID()}, title => 'Shared', description => '', visibility => 'private',
          settings => '{}', files => ${tx.json(rows)}, state => ${bytes},
          state_sha256 => encode(sha256(decode(${bytes}, 'base64')), 'hex')
        )) ->> 'id' as id`,
    );
    if (!made) throw new Error('create_project answered nothing.');
    // Not counted for the hourly limits.
    await this.#world.sql`delete from private.attempts`;
    return made.id;
  }

  send: SendUpdates = ({ updates, changed, removed, ...sent }) =>
    this.#receive((tx) =>
      appendUpdates(tx, {
        ...sent,
        updates: [...updates],
        changed: changed.map((file) => ({ ...file })),
        removed: [...removed],
      }),
    );

  load: LoadDocument = (project, since) =>
    this.#receive(async (tx) => {
      const [row] = await tx<{ answer: unknown }[]>`
        select public.load_document(${project}, ${since}) as answer`;
      return row?.answer;
    });

  async filesOf(id: string): Promise<ProjectFiles> {
    const rows = await this.#world.sql<{ file: WireFile }[]>`
      select jsonb_strip_nulls(jsonb_build_object('path', path, 'content', content, 'hash', hash,
        'size', size, 'media_type', media_type)) as file
      from public.project_files where project_id = ${id}`;
    return new Map(rows.map(({ file }) => parseWireFile(file)));
  }

  close(): Promise<void> {
    return this.#world.close();
  }

  async #receive<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const fault = this.findFault();
    if (fault === 'offline') throw connectionLost();
    if (fault === 'crash before commit') throw new VitrineError('backend_unreachable');
    const answer = await this.#world.runAs('owner', work).catch((error: unknown) => {
      // The database raises errors with a code of the error catalog as their message.
      if (!(error instanceof Error) || !isErrorCode(error.message)) throw error;
      throw new VitrineError(error.message, undefined, { cause: error });
    });
    if (fault === 'crash after commit') throw connectionLost();
    return answer;
  }
}
