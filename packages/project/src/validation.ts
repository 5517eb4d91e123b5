import type { ErrorCode } from './errors.ts';
import { validateAsset, type ProjectFiles } from './files.ts';
import { limits } from './limits.ts';
import { byteLength } from './paths.ts';

/** Usernames that are routes, or that could be used to impersonate the instance. */
export const reservedUsernames: ReadonlySet<string> = new Set(
  `about account admin administrator api app assets auth blog collections docs draft edit embed
  explore full healthz help history home legal login logout mail moderation moderator new
  notifications npm null oembed official p password portable prefill preview privacy profile
  public register root search security settings sign-in sign-out sign-up signin signup staff
  static status support system team terms trash undefined user users vitrine work www`.split(/\s+/),
);

/** Returns the error of an invalid username: 3–30 of a–z, 0–9 and single inner hyphens, not reserved. */
export function validateUsername(username: string): ErrorCode | undefined {
  if (username.length < limits.usernameMin || username.length > limits.usernameMax)
    return 'invalid_username';
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(username)) return 'invalid_username';
  return reservedUsernames.has(username) ? 'username_taken' : undefined;
}

/**
 * Returns the error of an invalid password.
 * @param common The most common passwords, in lower case. Only the server has the list; the page
 *   checks everything else to respond immediately.
 */
export function validatePassword(
  password: string,
  account: { email: string; username?: string },
  common: ReadonlySet<string> = new Set(),
): ErrorCode | undefined {
  // UTF-8 has no unpaired surrogates, so all of them would be the same U+FFFD; bcrypt ends at a NUL.
  if (!password.isWellFormed() || password.includes('\0')) return 'password_not_text';
  if ([...password].length < limits.passwordMin) return 'password_too_short';
  if (byteLength(password) > limits.passwordMaxBytes) return 'password_too_long';
  const lower = password.toLowerCase();
  if (lower === account.email.toLowerCase() || lower === account.username?.toLowerCase()) {
    return 'password_like_account';
  }
  return common.has(lower) ? 'password_too_common' : undefined;
}

/** Returns the error of an invalid title: 1–120 characters that are not all spaces. */
export function validateTitle(title: string): ErrorCode | undefined {
  const length = [...title.trim()].length;
  return length < 1 || length > limits.titleMax ? 'title_required' : undefined;
}

/** Normalizes a typed tag: `" Game Jam"` → `"game-jam"`. It may still be invalid. */
export function normalizeTag(typed: string): string {
  return typed
    .trim()
    .toLowerCase()
    .replace(/^#(?=.)/, '')
    .replace(/\s+/g, '-');
}

/** Returns the error of an invalid tag: 1–30 of a–z, 0–9, `-`, `+`, `.` and `#`. */
export function validateTag(tag: string): ErrorCode | undefined {
  return tag.length <= limits.tagMax && /^[a-z0-9+.#-]+$/.test(tag) ? undefined : 'invalid_tag';
}

/** Checks the files of a project against the limits. `details` names the file or the total. */
export function validateFiles(
  files: ProjectFiles,
): { code: ErrorCode; details: string } | undefined {
  if (files.size > limits.projectMaxFiles)
    return { code: 'too_many_files', details: `${files.size} files` };
  let textBytes = 0;
  let assetBytes = 0;
  for (const [path, file] of files) {
    if (file.kind === 'asset') {
      const code = validateAsset(file);
      if (code) return { code, details: path };
      assetBytes += file.size;
      continue;
    }
    // PostgreSQL rejects NUL, and unpaired surrogates can't be encoded as UTF-8.
    if (file.text.includes('\0') || !file.text.isWellFormed()) {
      return { code: 'file_not_text', details: path };
    }
    const size = byteLength(file.text);
    if (size > limits.fileMaxBytes) return { code: 'file_too_large', details: path };
    textBytes += size;
  }
  if (textBytes > limits.projectMaxBytes)
    return { code: 'project_too_large', details: `${textBytes} bytes` };
  return assetBytes > limits.projectMaxAssetBytes
    ? { code: 'assets_too_large', details: `${assetBytes} bytes` }
    : undefined;
}

export type Visibility = 'private' | 'unlisted' | 'public';

export const visibilities: readonly Visibility[] = ['private', 'unlisted', 'public'];

/** Whether an untrusted value is a visibility. */
export function isVisibility(value: unknown): value is Visibility {
  return visibilities.some((visibility) => visibility === value);
}

/** Whether a value is a project slug: 16 of a–z0–9, or 10 for projects created before November 2026. */
export function isSlug(value: string): boolean {
  return /^(?:[a-z0-9]{10}|[a-z0-9]{16})$/.test(value);
}
