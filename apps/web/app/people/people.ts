import { isErrorCode, isRecord, VitrineError, type ErrorCode } from '@vitrine/project';

/** Role that the owner gives to a member. */
export type MemberRole = 'viewer' | 'editor';
export type PeopleRole = MemberRole | 'owner';

/** What everyone may know of a user. */
export interface Profile {
  /** Empty in accounts whose username hasn't been chosen yet. */
  readonly username: string;
  readonly displayName: string;
  /** Path in the avatars bucket, "ID/NAME.webp". Null for initials. */
  readonly avatarPath: string | null;
}

export interface Person extends Profile {
  readonly id: string;
}

export interface Member extends Person {
  readonly role: MemberRole;
}

interface Invitation {
  readonly id: string;
  readonly kind: 'user' | 'email' | 'link';
  /** `owner` for an offer of ownership. */
  readonly role: PeopleRole;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** A pending invitation as the project's owner sees it. */
export interface SentInvitation extends Invitation {
  /** Set for the kind `user`. */
  readonly user: Person | null;
  /** Set for the kind `email`. */
  readonly email: string | null;
  /** Number of users who joined with a link. */
  readonly uses: number;
}

/** A pending invitation as the invited user sees it. */
export interface ReceivedInvitation extends Invitation {
  readonly title: string;
  readonly inviter: Person;
  /** Masked address of an invitation by email: "a…@example.org". */
  readonly email: string | null;
}

/** Everyone who works on a project. */
export interface People {
  /** Role of the user who asked. */
  readonly role: PeopleRole;
  readonly owner: Person;
  readonly members: readonly Member[];
  /** Empty unless the user is the owner. */
  readonly invitations: readonly SentInvitation[];
}

/** Where a project is, and the user's role in it. */
export interface ProjectAccess {
  readonly role: PeopleRole;
  readonly path: string;
}

/** The invitation of a token or id. */
export interface FoundInvitation {
  /** Why the user can't accept it. Null if they can. */
  readonly problem: ErrorCode | null;
  /** Null for a user who doesn't work on the project yet. */
  readonly access: ProjectAccess | null;
  /** Null once the invitation has ended. */
  readonly invitation: ReceivedInvitation | null;
}

export const roleNames: Readonly<Record<PeopleRole, string>> = {
  owner: 'Owner',
  editor: 'Editor',
  viewer: 'Viewer',
};

/** The display name, or else the username. */
export function getPersonName({ displayName, username }: Profile): string {
  return displayName || username;
}

/** Parses the result of the database function `list_people`. */
export function parsePeople(value: unknown): People {
  const { role, owner, members, invitations } = toRecord(value);
  if (!isRole(role) || !Array.isArray(members) || !Array.isArray(invitations)) throw unexpected();
  return {
    role,
    owner: parsePerson(owner),
    members: members.map(parseMember),
    invitations: invitations.map(parseSentInvitation),
  };
}

/** Parses the result of `read_invitation`. */
export function parseFoundInvitation(value: unknown): FoundInvitation {
  const { problem, access, ...fields } = toRecord(value);
  return {
    problem: problem === null ? null : isErrorCode(problem) ? problem : 'unexpected',
    access: access === null ? null : parseAccess(access),
    invitation: 'id' in fields ? parseReceivedInvitation(fields) : null,
  };
}

/** Parses an entry of `list_invitations`. */
export function parseReceivedInvitation(value: unknown): ReceivedInvitation {
  const { project, inviter, email, ...fields } = toRecord(value);
  const { title } = toRecord(project);
  if (typeof title !== 'string') throw unexpected();
  return {
    ...parseInvitation(fields),
    title,
    inviter: parsePerson(inviter),
    email: typeof email === 'string' ? email : null,
  };
}

/** Parses the result of `accept_invitation`. */
export function parseAccess(value: unknown): ProjectAccess {
  const { role, slug, username } = toRecord(value);
  if (!isRole(role) || typeof slug !== 'string' || typeof username !== 'string') throw unexpected();
  return { role, path: `/@${username}/${slug}` };
}

/** Parses a row of `profiles`, or a part of another result with its columns. */
export function parsePerson(value: unknown): Person {
  const { id, ...fields } = toRecord(value);
  if (typeof id !== 'string') throw unexpected();
  return { id, ...parseProfile(fields) };
}

/** Parses a row of `profiles`, with or without its id. */
export function parseProfile(value: unknown): Profile {
  const { username, display_name: displayName, avatar_path: avatarPath } = toRecord(value);
  return {
    username: typeof username === 'string' ? username : '',
    displayName: typeof displayName === 'string' ? displayName : '',
    avatarPath: typeof avatarPath === 'string' ? avatarPath : null,
  };
}

function parseMember(value: unknown): Member {
  const { role } = toRecord(value);
  if (role !== 'viewer' && role !== 'editor') throw unexpected();
  return { ...parsePerson(value), role };
}

function parseSentInvitation(value: unknown): SentInvitation {
  const { user, email, uses, ...fields } = toRecord(value);
  return {
    ...parseInvitation(fields),
    user: user === null ? null : parsePerson(user),
    email: typeof email === 'string' ? email : null,
    uses: typeof uses === 'number' ? uses : 0,
  };
}

function parseInvitation(fields: Record<string, unknown>): Invitation {
  const { id, kind, role, expires_at: expiresAt } = fields;
  if (
    typeof id !== 'string' ||
    (kind !== 'user' && kind !== 'email' && kind !== 'link') ||
    !isRole(role) ||
    typeof expiresAt !== 'string'
  ) {
    throw unexpected();
  }
  return { id, kind, role, expiresAt };
}

function isRole(value: unknown): value is PeopleRole {
  return value === 'owner' || value === 'editor' || value === 'viewer';
}

function toRecord(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) throw unexpected();
  return value;
}

function unexpected(): VitrineError {
  return new VitrineError('unexpected', 'the database returned an unexpected value');
}
