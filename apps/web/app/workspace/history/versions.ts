/** Versions of a project, as the database returns them, and the calls that read and publish them. */
import { isRecord, parseAssetRows, type ProjectFiles } from '@vitrine/project';
import type { SupabaseClient } from '@supabase/supabase-js';
import { parseProfile, type Profile } from '../../people/people.ts';
import { toProjectFiles } from '../project-files.ts';
import { callDatabase, versionReasons, type VersionReason } from '../saving/project-api.ts';

interface VersionDetails {
  /** Counts from 1 in each project. */
  readonly number: number;
  readonly reason: VersionReason;
  /** Empty if the author gave none. */
  readonly message: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Null if the account has been deleted. */
  readonly author: Profile | null;
}

export type ChangeKind = 'added' | 'changed' | 'removed';

export interface PathChange {
  readonly path: string;
  readonly kind: ChangeKind;
}

/** A version in the timeline. */
export interface ListedVersion extends VersionDetails {
  /** Files that differ from the version before, at most 20. */
  readonly changed: readonly PathChange[];
  readonly changedCount: number;
  /** Number of the version before it that the user sees. Null for the first. */
  readonly previous: number | null;
}

/** A version with its files. */
export interface Version extends VersionDetails {
  /** Revision of the project that it is a copy of. */
  readonly revision: number;
  readonly files: ProjectFiles;
}

/** Versions loaded at once. */
const pageSize = 20;

/** Database calls for existing versions. Each rejects with a `VitrineError`. */
export interface VersionApi {
  /** Lists versions, newest first, those before the given number. */
  list(slug: string, before: number | null): Promise<VersionPage>;
  /** Undefined if there is none that the user may see. */
  read(slug: string, number: number): Promise<Version | undefined>;
  /** Sets the version that everyone but members sees. Null for the current version. */
  publish(project: string, number: number | null): Promise<void>;
}

export interface VersionPage {
  readonly versions: readonly ListedVersion[];
  readonly hasMore: boolean;
}

/** Creates the calls for the user of a client, which is loaded on the first call. */
export function createVersionApi(getClient: () => Promise<SupabaseClient>): VersionApi {
  return {
    async list(slug, before) {
      const supabase = await getClient();
      // One more than is shown: the version that the last one is compared with.
      const answer = await callDatabase(
        supabase.rpc('list_versions', { slug, before, count: pageSize + 1 }),
      );
      const versions = parseVersionList(answer);
      return { versions: versions.slice(0, pageSize), hasMore: versions.length > pageSize };
    },
    async read(slug, number) {
      const supabase = await getClient();
      return parseVersion(await callDatabase(supabase.rpc('read_version', { slug, number })));
    },
    async publish(project, number) {
      const supabase = await getClient();
      await callDatabase(supabase.rpc('publish_version', { project, number }));
    },
  };
}

function parseVersionList(value: unknown): ListedVersion[] {
  if (!Array.isArray(value)) return [];
  const versions = value.flatMap((row: unknown) => {
    const details = parseDetails(row);
    if (!details || !isRecord(row)) return [];
    const changed = Array.isArray(row.changed) ? row.changed.flatMap(parsePathChange) : [];
    const count = row.changed_count;
    return [
      { ...details, changed, changedCount: typeof count === 'number' ? count : changed.length },
    ];
  });
  return versions.map((version, index) => ({
    ...version,
    previous: versions[index + 1]?.number ?? null,
  }));
}

/** Parses the result of the database function `read_version`. Undefined for null. */
export function parseVersion(value: unknown): Version | undefined {
  const details = parseDetails(value);
  if (!details || !isRecord(value) || typeof value.revision !== 'number') return undefined;
  const files = toProjectFiles(parseTexts(value.files), parseAssetRows(value.assets));
  return { ...details, revision: value.revision, files };
}

function parseTexts(rows: unknown): [string, string][] {
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) => {
    if (!isRecord(row)) return [];
    const { path, content } = row;
    return typeof path === 'string' && typeof content === 'string' ? [[path, content]] : [];
  });
}

function parseDetails(value: unknown): VersionDetails | undefined {
  if (!isRecord(value)) return undefined;
  const { number, message, created_at: createdAt } = value;
  const reason = versionReasons.find((each) => each === value.reason);
  if (typeof number !== 'number' || typeof createdAt !== 'string' || !reason) return undefined;
  return {
    number,
    reason,
    message: typeof message === 'string' ? message : '',
    createdAt,
    author: isRecord(value.author) ? parseProfile(value.author) : null,
  };
}

function parsePathChange(value: unknown): PathChange[] {
  if (!isRecord(value)) return [];
  const { path, kind } = value;
  if (typeof path !== 'string') return [];
  return kind === 'added' || kind === 'changed' || kind === 'removed' ? [{ path, kind }] : [];
}
