import {
  getAssetObjectName,
  isSameFile,
  type ProjectFile,
  type ProjectFiles,
} from '@vitrine/project';

/** Index of a signed-in user. */
export type User = 0 | 1;
/** Somebody who reads: a user or a visitor without an account. */
export type Reader = User | 'visitor';
export const users = [0, 1] as const;
export const readers = [...users, 'visitor'] as const;

export type Role = 'viewer' | 'editor' | 'owner';
export type InvitationKind = 'user' | 'email' | 'link';

export interface Invitation {
  readonly id: string;
  /** What the accepting user sends: the token or the id. */
  readonly address: string;
  readonly kind: InvitationKind;
  readonly role: Role;
  readonly createdBy: User;
  /** Undefined for a link. */
  readonly target: User | undefined;
  isPending: boolean;
  acceptedBy: User | undefined;
  /** Users to whom it doesn't give their role back. */
  readonly excluded: Set<User>;
}

export interface Version {
  readonly files: ProjectFiles;
  readonly reason: string;
  readonly message: string;
  readonly author: User;
  isPublished: boolean;
}

export interface Fork {
  readonly id: string;
  readonly slug: string;
  /** Id of the original, which may be gone. */
  readonly original: string;
  readonly owner: User;
  readonly files: ProjectFiles;
}

export const getOther = (user: User): User => (user === 0 ? 1 : 0);

/** Names of the objects with the bytes of these files. */
export function listAssetNames(files: ProjectFiles): string[] {
  return [...files.values()].flatMap((file) =>
    file.kind === 'asset' && file.uploader ? [getAssetObjectName(file.uploader, file.hash)] : [],
  );
}

/** Paths that differ between two states, also by whose object has the bytes. */
export function listDifferences(before: ProjectFiles, after: ProjectFiles): string[] {
  const uploaderOf = (file: ProjectFile | undefined) =>
    file?.kind === 'asset' ? file.uploader : undefined;
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => {
    const [old, current] = [before.get(path), after.get(path)];
    return !isSameFile(old, current) || uploaderOf(old) !== uploaderOf(current);
  });
}

/** What the rules say about one project: its people, files and versions, and who may do what. */
export class ProjectModel {
  readonly id: string;
  readonly slug: string;
  title = 'A project';
  owner: User;
  readonly members = new Map<User, Role>();
  readonly invitations: Invitation[] = [];
  isInTrash = false;
  visibility = 'private';
  files: ProjectFiles;
  readonly versions: Version[] = [];
  publishedVersion: number | null = null;
  forkCount = 0;
  /** Number of the document's last update. */
  seq = 1;
  /** Checksums of the acknowledged updates in their order. */
  readonly updates: string[] = [];
  /** Objects of the assets that the project has or had. */
  readonly assetNames = new Set<string>();

  constructor(id: string, slug: string, owner: User, files: ProjectFiles) {
    this.id = id;
    this.slug = slug;
    this.owner = owner;
    this.files = files;
  }

  roleOf(reader: Reader): Role | null {
    if (reader === this.owner) return 'owner';
    if (this.isInTrash || reader === 'visitor') return null;
    return this.members.get(reader) ?? null;
  }

  mayEdit(reader: Reader): boolean {
    const role = this.roleOf(reader);
    return role === 'owner' || role === 'editor';
  }

  /** Whether this reader may open the project by its link. */
  isVisible(reader: Reader): boolean {
    return this.roleOf(reader) !== null || (!this.isInTrash && this.visibility !== 'private');
  }

  /** Whether this reader finds the project in the table. */
  isListed(reader: Reader): boolean {
    return this.roleOf(reader) !== null || (!this.isInTrash && this.visibility === 'public');
  }

  /** The code that an edit is refused with, or with `isOwnersAct` what only owners may do. */
  findRefusal(reader: Reader, isOwnersAct = false): string | undefined {
    if (reader === 'visitor') return 'permission denied';
    if (!this.isListed(reader)) return 'not_found_or_private';
    const isAllowed = isOwnersAct ? reader === this.owner : this.mayEdit(reader);
    return isAllowed ? undefined : 'not_allowed';
  }

  readFiles(reader: Reader): ProjectFiles | null {
    if (!this.isVisible(reader)) return null;
    if (this.publishedVersion === null || this.roleOf(reader) !== null) return this.files;
    return this.versions[this.publishedVersion - 1]?.files ?? null;
  }

  /** Numbers of the versions that this reader sees, newest first. */
  listVersions(reader: Reader): number[] {
    if (!this.isVisible(reader)) return [];
    return this.versions
      .flatMap(({ reason, isPublished }, at) => {
        const isShown =
          (reason === 'named' || isPublished) && at < (this.publishedVersion ?? Infinity);
        return this.roleOf(reader) !== null || isShown ? [at + 1] : [];
      })
      .toReversed();
  }

  readVersion(reader: Reader, number: number): Version | undefined {
    return this.listVersions(reader).includes(number) ? this.versions[number - 1] : undefined;
  }

  /** Objects that this reader may read because of the project. */
  listReadableAssets(reader: Reader): Set<string> {
    if (this.roleOf(reader) !== null) return this.assetNames;
    const versions = this.listVersions(reader).map((number) => this.readVersion(reader, number));
    const states = [this.readFiles(reader), ...versions.map((version) => version?.files)];
    return new Set(states.flatMap((files) => (files ? listAssetNames(files) : [])));
  }

  /** Objects that must be kept. */
  listReferencedAssets(): string[] {
    return [this.files, ...this.versions.map(({ files }) => files)].flatMap(listAssetNames);
  }

  setFiles(files: ProjectFiles): void {
    this.files = files;
    for (const name of listAssetNames(files)) this.assetNames.add(name);
  }

  /** Whether the call creates a version. */
  addVersion(author: User, reason: string, message: string): boolean {
    const newest = this.versions.at(-1);
    const isSame = newest && listDifferences(newest.files, this.files).length === 0;
    if (isSame && reason !== 'named') return false;
    // Of a pause, one version within ten minutes, which is longer than a test.
    if (reason === 'pause' && this.versions.some((version) => version.reason === 'pause'))
      return false;
    this.versions.push({ files: this.files, reason, message, author, isPublished: false });
    return true;
  }

  get pendingInvitations(): Invitation[] {
    return this.invitations.filter(({ isPending }) => isPending);
  }

  /** Whether the call succeeds, if the user owns the project. */
  mayInvite(kind: InvitationKind, target: User, role: Role): boolean {
    const held = this.members.get(target);
    return kind !== 'user' || !(held === role || (held === 'editor' && role === 'viewer'));
  }

  addInvitation(invitation: Omit<Invitation, 'isPending' | 'acceptedBy' | 'excluded'>): void {
    const { role, kind, target } = invitation;
    for (const earlier of this.pendingInvitations) {
      const isSame = earlier.kind === kind && kind !== 'link' && earlier.target === target;
      if ((role === 'owner') !== (earlier.role === 'owner')) continue;
      if (role === 'owner' || isSame) earlier.isPending = false;
    }
    const state = { isPending: true, acceptedBy: undefined, excluded: new Set<User>() };
    this.invitations.push({ ...invitation, ...state });
  }

  /** Whether the user can accept, ignoring whether they have before. */
  isOffered(user: User, invitation: Invitation): boolean {
    const { kind, target, isPending, createdBy, excluded } = invitation;
    const isTheirs = kind === 'link' || target === user;
    const isValid = isPending && createdBy === this.owner && !this.isInTrash;
    return isTheirs && isValid && !excluded.has(user);
  }

  /** Whether the call succeeds. */
  accept(user: User, invitation: Invitation): boolean {
    const { role, kind, acceptedBy } = invitation;
    const held = this.roleOf(user);
    if (acceptedBy === user && held !== null) return true;
    if (!this.isOffered(user, invitation)) return false;
    if (role === 'owner') {
      for (const each of this.pendingInvitations) each.isPending = false;
      this.members.delete(user);
      this.members.set(this.owner, 'editor');
      this.owner = user;
    } else if (held === null || (held === 'viewer' && role === 'editor')) {
      this.members.set(user, role);
    }
    if (kind !== 'link') {
      invitation.isPending = false;
      invitation.acceptedBy = user;
    }
    return true;
  }

  removeMember(user: User): void {
    this.members.delete(user);
    this.#exclude(user, null);
  }

  setRole(user: User, role: Role): void {
    this.members.set(user, role);
    if (role === 'viewer') this.#exclude(user, 'viewer');
  }

  #exclude(user: User, keptRole: Role | null): void {
    for (const invitation of this.pendingInvitations) {
      if (invitation.role === 'owner' && invitation.target !== user) continue;
      if (invitation.role === keptRole) continue;
      invitation.excluded.add(user);
      if (invitation.kind === 'user' && invitation.target === user) invitation.isPending = false;
    }
  }
}

/** What the rules say about stored objects, which outlive the project. */
export class ObjectModel {
  readonly #ids: readonly [string, string];
  readonly #project: () => ProjectModel | undefined;
  readonly forks: Fork[] = [];
  /** Bytes by name. */
  readonly stored = new Map<string, string>();
  /** Every name that was ever stored. */
  readonly known = new Set<string>();
  /** Objects that nothing referred to at the last collection. */
  #unreferenced = new Set<string>();

  /** @param ids Ids of the users. */
  constructor(ids: readonly [string, string], project: () => ProjectModel | undefined) {
    this.#ids = ids;
    this.#project = project;
  }

  add(name: string, bytes: string): void {
    this.stored.set(name, bytes);
    this.known.add(name);
  }

  /** Names of the objects that this reader may read, if they are stored. */
  listReadable(reader: Reader): string[] {
    const readable = this.#project()?.listReadableAssets(reader) ?? new Set();
    const forked = new Set(
      this.forks.flatMap(({ owner, files }) => (owner === reader ? listAssetNames(files) : [])),
    );
    const isOwn = (name: string) => reader !== 'visitor' && name.startsWith(this.#ids[reader]);
    return [...this.stored.keys()].filter(
      (name) => isOwn(name) || readable.has(name) || forked.has(name),
    );
  }

  /**
   * Uploaders whose object an asset may get that this user saves in the project, or in a fork of it.
   * Empty if the bytes have to be uploaded first.
   */
  listUploaders(user: User, hash: string): string[] {
    const own = this.#ids[user];
    const isStored = (uploader: string) => this.stored.has(getAssetObjectName(uploader, hash));
    if (isStored(own)) return [own];
    const having = (names: Iterable<string>) =>
      this.#ids.filter((id) => [...names].includes(getAssetObjectName(id, hash)));
    const known = having(this.#project()?.listReadableAssets(user) ?? []);
    const withBytes = known.filter(isStored);
    if (withBytes.length > 0) return withBytes;
    // An asset that the project has is saved without its bytes, so that texts can be saved.
    if (known.length > 0) return known.toSorted().slice(0, 1);
    const ownForks = this.forks.filter(({ owner }) => owner === user);
    return having(ownForks.flatMap(({ files }) => listAssetNames(files))).filter(isStored);
  }

  /** An object that is saved again isn't collected. */
  retain(name: string): void {
    this.#unreferenced.delete(name);
  }

  /** Names that a collection deletes; with `isDue`, a week after the last one. */
  collect(isDue: boolean): string[] {
    const referenced = new Set([
      ...(this.#project()?.listReferencedAssets() ?? []),
      ...this.forks.flatMap(({ files }) => listAssetNames(files)),
    ]);
    const before = this.#unreferenced;
    const unreferenced = [...this.stored.keys()].filter((name) => !referenced.has(name));
    const deleted = isDue ? unreferenced.filter((name) => before.has(name)) : [];
    for (const name of deleted) this.stored.delete(name);
    this.#unreferenced = new Set(unreferenced.filter((name) => !deleted.includes(name)));
    return deleted;
  }
}
