import type { Visibility } from '@vitrine/project';

/** Who looks at the workspace; null where it is a visitor. */
export interface Person {
  readonly id: string;
  /** Null until it is chosen. */
  readonly username: string | null;
}

/** What a workspace is of. A draft becomes a project when it is saved. */
export type Identity = DraftIdentity | ProjectIdentity;

export interface DraftIdentity {
  readonly kind: 'draft';
  /** A slug of its own: it names the draft's preview. */
  readonly id: string;
  readonly title: string;
  /** The project it was forked from. */
  readonly forkedFrom: string | null;
}

export interface ProjectIdentity {
  readonly kind: 'project';
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly visibility: Visibility;
  readonly owner: string;
  readonly role: Role;
  readonly revision: number;
  /** What it was forked from, where this person may know. */
  readonly original: { readonly address: string; readonly title: string } | null;
}

/**
 * What the person may do in this project; the database decides again at each call. A viewer has a
 * part in it and does not save, a reader only sees it.
 */
export type Role = 'owner' | 'editor' | 'viewer' | 'reader';

/** True where typing changes the project itself, and not a copy of it on this device. */
export function maySave(identity: Identity): boolean {
  return identity.kind === 'draft' || identity.role === 'owner' || identity.role === 'editor';
}

/** True for whoever has a part in the project: they follow its saves and see each other. */
export function worksOn(identity: Identity): boolean {
  return identity.kind === 'project' && identity.role !== 'reader';
}

/** Where the workspace stands: `/draft/…` or `/@owner/slug`. */
export function addressOf(identity: Identity): string {
  return identity.kind === 'draft'
    ? `/draft/${identity.id}`
    : `/@${identity.owner}/${identity.slug}`;
}

/** The label of the preview's host, so that a working copy never answers for the saved project. */
export function previewKey(identity: Identity): string {
  return identity.kind === 'draft' ? `draft--${identity.id}` : `edit--${identity.slug}`;
}
