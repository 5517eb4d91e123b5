import type { Visibility } from '@vitrine/project';

/** The signed-in user of the workspace. Null for a visitor. */
export interface WorkspaceUser {
  readonly id: string;
  /** Null until the user has chosen one. */
  readonly username: string | null;
}

/** The draft or project in a workspace. A draft becomes a project when it is saved. */
export type WorkspaceIdentity = DraftIdentity | ProjectIdentity;

export interface DraftIdentity {
  readonly kind: 'draft';
  /** Unique like a slug, since it names the draft's preview host. */
  readonly id: string;
  readonly title: string;
  /** Id of the project it was forked from. */
  readonly forkedFrom: string | null;
  /** Number of the version of that project, if it was forked from one. */
  readonly forkedFromVersion: number | null;
}

export interface ProjectIdentity {
  readonly kind: 'project';
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly visibility: Visibility;
  readonly owner: string;
  /** The owner's picture in the bucket `avatars`, "ID/NAME.webp". Null for initials. */
  readonly ownerAvatarPath: string | null;
  readonly role: ProjectRole;
  readonly revision: number;
  /** Number of the version that everyone but members sees. Null if that is the current version. */
  readonly publishedVersion: number | null;
  /** Time of the last change, ISO 8601. */
  readonly updatedAt: string;
  /** The fork's original, if the user may see it, and the version that was forked, if it's known. */
  readonly original: {
    readonly address: string;
    readonly title: string;
    readonly version: number | null;
  } | null;
}

/**
 * The user's role in a project, for the UI. The database authorizes each call itself. A viewer is a
 * member who can't save; a reader isn't a member.
 */
export type ProjectRole = 'owner' | 'editor' | 'viewer' | 'reader';

/** Whether the user can add a project to collections: not another's unlisted one, whose link they got. */
export function canBeCollected({ role, visibility }: ProjectIdentity): boolean {
  return role !== 'reader' || visibility === 'public';
}

/** True if edits go to the project itself, not to an unsaved copy on this device. */
export function canSave(identity: WorkspaceIdentity): boolean {
  return identity.kind === 'draft' || identity.role === 'owner' || identity.role === 'editor';
}

/** True for members, who receive saves and presence. */
export function isMember(identity: WorkspaceIdentity): boolean {
  return identity.kind === 'project' && identity.role !== 'reader';
}

/**
 * True if the project's preview must be opened with a preview access URL: it is private, or others
 * see a published version in place of what members see.
 */
export function needsPreviewAccess(identity: WorkspaceIdentity): boolean {
  if (identity.kind === 'draft') return false;
  const { visibility, publishedVersion } = identity;
  return visibility === 'private' || (publishedVersion !== null && isMember(identity));
}

/** True if a version's preview must be opened so: members see versions that others don't. */
export function needsVersionAccess(identity: ProjectIdentity): boolean {
  return identity.visibility === 'private' || isMember(identity);
}

/** URL path of the workspace: `/draft/…` or `/@owner/slug`. */
export function getWorkspacePath(identity: WorkspaceIdentity): string {
  return identity.kind === 'draft'
    ? `/draft/${identity.id}`
    : `/@${identity.owner}/${identity.slug}`;
}

/** Title of the browser tab. */
export function formatTabTitle(identity: WorkspaceIdentity): string {
  const owner = identity.kind === 'project' ? ` by ${identity.owner}` : '';
  return `${identity.title}${owner} — Vitrine`;
}

/** Label of the preview's host. A live copy never shares a host with the saved project. */
export function getPreviewKey(identity: WorkspaceIdentity): string {
  return identity.kind === 'draft' ? `draft--${identity.id}` : `edit--${identity.slug}`;
}
