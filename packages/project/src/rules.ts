import type { ErrorCode } from './errors.ts';
import { limits } from './limits.ts';
import { byteLength } from './paths.ts';

/** Names that are routes, or that would let a person pose as the place itself. */
export const reservedUsernames: ReadonlySet<string> = new Set(
  `about account admin administrator api app assets auth blog collections docs draft edit embed
  explore full healthz help history home legal login logout mail moderation moderator new
  notifications npm null oembed official p password portable prefill preview privacy profile
  public register root search security settings sign-in sign-out sign-up signin signup staff
  static status support system team terms trash undefined user users vitrine work www`.split(/\s+/),
);

/** 3–30 of a–z, 0–9 and single inner hyphens, not reserved. */
export function findUsernameProblem(username: string): ErrorCode | undefined {
  if (username.length < limits.usernameMin || username.length > limits.usernameMax)
    return 'invalid_username';
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(username)) return 'invalid_username';
  return reservedUsernames.has(username) ? 'username_taken' : undefined;
}

/**
 * `common` is the set of the commonest passwords in lower case; the server has it, the page
 * checks the rest for speed.
 */
export function findPasswordProblem(
  password: string,
  account: { email: string; username?: string },
  common: ReadonlySet<string> = new Set(),
): ErrorCode | undefined {
  if ([...password].length < limits.passwordMin) return 'password_too_short';
  // As it is hashed: half a character becomes a whole one there.
  if (byteLength(password.toWellFormed()) > limits.passwordMaxBytes) return 'password_too_long';
  const lower = password.toLowerCase();
  if (lower === account.email.toLowerCase() || lower === account.username?.toLowerCase()) {
    return 'password_like_account';
  }
  return common.has(lower) ? 'password_too_common' : undefined;
}

/** 1–120 characters that are not all spaces. */
export function findTitleProblem(title: string): ErrorCode | undefined {
  const length = [...title.trim()].length;
  return length < 1 || length > limits.titleMax ? 'title_required' : undefined;
}

/** The files of a project against its limits; `details` names the file. */
export function findFilesProblem(
  files: ReadonlyMap<string, string>,
): { code: ErrorCode; details: string } | undefined {
  if (files.size > limits.projectMaxFiles)
    return { code: 'too_many_files', details: `${files.size} files` };
  let total = 0;
  for (const [path, content] of files) {
    // PostgreSQL takes neither, and UTF-8 has no half of a pair.
    if (content.includes('\0') || !content.isWellFormed()) {
      return { code: 'file_not_text', details: path };
    }
    const size = byteLength(content);
    if (size > limits.fileMaxBytes) return { code: 'file_too_large', details: path };
    total += size;
  }
  return total > limits.projectMaxBytes
    ? { code: 'project_too_large', details: `${total} bytes` }
    : undefined;
}

export type Visibility = 'private' | 'unlisted' | 'public';

export const visibilities: readonly Visibility[] = ['private', 'unlisted', 'public'];

/** True for one of the three words. */
export function isVisibility(value: unknown): value is Visibility {
  return visibilities.some((visibility) => visibility === value);
}

/** True for a project's slug: sixteen of a–z0–9, or ten where it was made before November 2026. */
export function isSlug(value: string): boolean {
  return /^(?:[a-z0-9]{10}|[a-z0-9]{16})$/.test(value);
}
