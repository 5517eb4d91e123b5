/**
 * The error catalog: the only place where user-facing error messages are written. The database, the
 * server and the page pass error codes to each other; only the code that displays an error looks up
 * its text here.
 */

/** The text of an error: `sentence` says what happened, `action` what to do about it. */
export interface ErrorCatalogEntry {
  readonly sentence: string;
  readonly action: string;
}

const entries = {
  sign_in_failed: {
    sentence: 'Incorrect email or password.',
    action: 'Check both, or choose “Forgot password?”.',
  },
  current_password_required: {
    sentence: 'Enter your current password.',
    action: 'If you don’t remember it, get a code by email.',
  },
  current_password_wrong: {
    sentence: 'That isn’t your current password.',
    action: 'Enter the password you sign in with, or get a code by email.',
  },
  email_not_confirmed: {
    sentence: 'Your email address isn’t confirmed yet.',
    action: 'Open the link in the email we sent you, then sign in.',
  },
  email_invalid: {
    sentence: 'Enter a valid email address.',
    action: 'Use a format like name@example.org.',
  },
  email_taken: {
    sentence: 'An account with this email already exists.',
    action: 'Sign in, or choose “Forgot password?”.',
  },
  password_too_short: {
    sentence: 'Password must be at least 10 characters.',
    action: 'A few random words work well.',
  },
  password_too_long: {
    sentence: 'Password is too long.',
    action: 'Use 72 characters or fewer. Accents and emoji count as more than one.',
  },
  password_too_common: {
    sentence: 'This password is too common.',
    action: 'Choose one that’s harder to guess.',
  },
  password_like_account: {
    sentence: 'Password can’t be your email or username.',
    action: 'Choose one that others don’t know.',
  },
  link_expired: {
    sentence: 'This link has expired or was already used.',
    action: 'Request a new one, and open it in the same browser. Links expire and work only once.',
  },
  too_many_attempts: {
    sentence: 'Too many attempts.',
    action: 'Wait a few minutes, then try again.',
  },
  session_expired: {
    sentence: 'You’re signed out.',
    action: 'Sign in again.',
  },
  sign_in_again: {
    sentence: 'Confirm it’s you to make this change.',
    action: 'Sign out, sign in again, and try again within ten minutes.',
  },
  provider_refused: {
    sentence: 'Sign-in was canceled or timed out.',
    action: 'Try again, or use another sign-in method.',
  },
  provider_unreachable: {
    sentence: 'The sign-in provider isn’t responding.',
    action: 'Try again later, or use another sign-in method.',
  },
  provider_email_missing: {
    sentence: 'The provider didn’t share a verified email address.',
    action: 'Verify your email address with the provider, then try again.',
  },
  identity_taken: {
    sentence: 'This sign-in method is already linked to an account.',
    action: 'If it’s your account, sign in to it and unlink the method there.',
  },
  linking_off: {
    sentence: 'Linking other sign-in methods is disabled on this instance.',
    action: 'Contact your administrator.',
  },
  sign_up_closed: {
    sentence: 'Sign-ups are closed on this instance.',
    action: 'Ask your administrator for an invitation.',
  },
  code_required: {
    sentence: 'Enter the code.',
    action: 'It’s in the email we sent you, or in your authenticator app.',
  },
  code_wrong: {
    sentence: 'This code is incorrect, expired, or already used.',
    action: 'Enter the latest code. Authenticator apps show a new one every 30 seconds.',
  },
  second_factor_needed: {
    sentence: 'This requires a code from your authenticator app.',
    action: 'Sign out and back in, and enter the code when asked.',
  },
  second_factor_off: {
    sentence: 'Two-factor authentication is disabled on this instance.',
    action: 'Contact your administrator.',
  },
  factor_name_taken: {
    sentence: 'You already have an authenticator app with this name.',
    action: 'Choose another name.',
  },
  too_many_factors: {
    sentence: 'You’ve reached the limit of authenticator apps for an account.',
    action: 'Remove one, then add another.',
  },
  proof_needed: {
    sentence: 'Enter your password or a code to continue.',
    action: 'You won’t have to do this again for ten minutes.',
  },
  mail_not_sent: {
    sentence: 'We couldn’t send the email, so nothing changed.',
    action: 'Try again later.',
  },
  export_failed: {
    sentence: 'We couldn’t export your data.',
    action: 'Try again in a moment.',
  },
  suspended: {
    sentence: 'Your account is suspended.',
    action: 'You can view and export, but not change anything. Contact your administrator.',
  },
  user_banned: {
    sentence: 'Your account is suspended.',
    action: 'Contact your administrator.',
  },
  not_found_or_private: {
    sentence: 'Page not found.',
    action: 'It may be private or no longer exist. Sign in if you have access.',
  },
  not_allowed: {
    sentence: 'You don’t have permission to do that.',
    action: 'Ask the owner for access, or fork the project.',
  },
  no_longer_in_project: {
    sentence: 'You no longer have access to this project.',
    action: 'You can keep viewing it until you leave. Fork it to keep a copy.',
  },
  username_taken: {
    sentence: 'This username is taken.',
    action: 'Choose another.',
  },
  invalid_username: {
    sentence: 'Usernames must be 3–30 characters: lowercase letters, numbers, and single hyphens.',
    action: 'Change it and try again.',
  },
  picture_unreadable: {
    sentence: 'We couldn’t read this file as an image.',
    action: 'Choose a PNG, JPEG, WebP, GIF, or AVIF file.',
  },
  title_required: {
    sentence: 'Title must be 1–120 characters.',
    action: 'Change it and try again.',
  },
  description_too_long: {
    sentence: 'Description must be 5,000 characters or fewer.',
    action: 'Shorten it and try again.',
  },
  file_too_large: {
    sentence: 'Files can’t be larger than 1 MB.',
    action: 'Split the file or remove some of its text.',
  },
  file_not_text: {
    sentence: 'A file contains invalid characters.',
    action: 'Remove null characters and malformed Unicode, then try again.',
  },
  file_binary: {
    sentence: 'Images and other binary files can’t be added yet.',
    action: 'Add text files instead: HTML, CSS, JavaScript, JSON, Markdown, or SVG.',
  },
  project_too_large: {
    sentence: 'Projects can’t be larger than 10 MB.',
    action: 'Remove some files or text, then save again.',
  },
  too_many_files: {
    sentence: 'Projects can’t have more than 200 files.',
    action: 'Remove some, then try again.',
  },
  invalid_path: {
    sentence: 'This isn’t a valid file path.',
    action: 'Use names separated by “/”, without “.” or “..” segments.',
  },
  path_taken: {
    sentence: 'A file with this name already exists.',
    action: 'Choose another name.',
  },
  version_conflict: {
    sentence: 'Someone else saved while you were editing.',
    action: 'Both changes are kept. Check the result, then save again.',
  },
  offline_saved_locally: {
    sentence: 'You’re offline.',
    action:
      'Your changes are saved on this device and will be sent when you’re back online. Keep this page open, because it can’t be reloaded offline.',
  },
  save_refused: {
    sentence: 'The server rejected this save.',
    action: 'Copy your work or fork the project.',
  },
  not_kept: {
    sentence: 'This browser doesn’t allow local storage, so your work exists only in this tab.',
    action: 'Copy your work before you close the tab.',
  },
  format_broken: {
    sentence: 'The file has a syntax error, so it wasn’t formatted.',
    action: 'Fix the errors in Problems, then format again.',
  },
  format_config: {
    sentence: 'The project’s Prettier configuration is invalid, so the file wasn’t formatted.',
    action: 'Fix .prettierrc, or the “prettier” key in package.json, then format again.',
  },
  format_unknown: {
    sentence: 'This file type can’t be formatted.',
    action: 'Supported: HTML, CSS, JavaScript, TypeScript, Vue, Svelte, JSON, YAML, and Markdown.',
  },
  format_part: {
    sentence: 'The selection can’t be formatted on its own.',
    action: 'Select more, or format the whole file.',
  },
  expression_invalid: {
    sentence: 'Invalid regular expression.',
    action: 'Check its brackets and backslashes, or search for plain text.',
  },
  expression_slow: {
    sentence: 'The regular expression takes too long on these files.',
    action: 'Make it more specific. Nested repetition is the usual cause.',
  },
  package_missing: {
    sentence: 'An imported package isn’t installed.',
    action: 'Install it.',
  },
  package_spec_invalid: {
    sentence: 'This isn’t a valid package name and version.',
    action: 'Use a format like “three” or “three@^0.180.0”.',
  },
  package_source_refused: {
    sentence: 'URL and file dependencies aren’t supported.',
    action: 'Use a version from the registry.',
  },
  package_json_invalid: {
    sentence: 'The project’s package.json is invalid.',
    action: 'Fix it, or undo the last change.',
  },
  package_not_found: {
    sentence: 'No package with that name was found in the registry.',
    action: 'Check the spelling. A private package needs a registry that has it.',
  },
  package_version_not_found: {
    sentence: 'A required package version doesn’t exist.',
    action: 'Choose another version of it, or of the package that depends on it.',
  },
  package_conflict: {
    sentence: 'Some packages need incompatible versions of each other.',
    action: 'Change the version of one of them.',
  },
  packages_too_slow: {
    sentence: 'Finding compatible versions took too long.',
    action: 'Try again. If that doesn’t help, use exact versions.',
  },
  too_many_packages: {
    sentence: 'Projects can have up to 50 packages, or 1,000 including their dependencies.',
    action: 'Remove some, then try again.',
  },
  lock_too_large: {
    sentence: 'The lockfile is larger than 1 MB.',
    action: 'Remove a package, or choose one with fewer dependencies.',
  },
  package_too_large: {
    sentence: 'This package is too large to load in a page.',
    action: 'Look for a smaller one, or for a part that’s published separately.',
  },
  package_unsafe: {
    sentence: 'This package contains unsafe files, so it wasn’t unpacked.',
    action: 'Choose another version, and report this to its authors.',
  },
  package_damaged: {
    sentence: 'The package’s checksum doesn’t match the registry’s.',
    action: 'Try again later. If it keeps happening, contact the registry’s operator.',
  },
  package_changed: {
    sentence: 'This version has changed in the registry since you added it.',
    action: 'It may have been tampered with. Update to a version you trust.',
  },
  package_mismatch: {
    sentence: 'The package’s package.json has a different name or version.',
    action: 'Choose another version.',
  },
  package_node_only: {
    sentence: 'This package is made for Node.js and doesn’t run in a browser.',
    action: 'Look for a package made for browsers.',
  },
  package_subpath_not_found: {
    sentence: 'The package doesn’t export this path.',
    action: 'Check what follows the package’s name in the import.',
  },
  package_build_failed: {
    sentence: 'The package couldn’t be built for browsers.',
    action: 'Try another version.',
  },
  package_address_unknown: {
    sentence: 'This package hasn’t been used on this instance yet.',
    action: 'Reopen the project to load it.',
  },
  registry_unreachable: {
    sentence: 'The package registry isn’t responding.',
    action:
      'Packages already used on this instance or in the templates still work. Try again later for others.',
  },
  registry_refused: {
    sentence: 'The package registry denied access.',
    action: 'Ask your administrator to check the registry token.',
  },
  packages_busy: {
    sentence: 'Too many packages are being built right now.',
    action: 'Wait a moment, then try again.',
  },
  sandbox_stalled: {
    sentence:
      'The page isn’t responding. It may be stuck in an infinite loop, or it may be out of memory.',
    action: 'Stop it, or fix the code and it will restart.',
  },
  rate_limited: {
    sentence: 'Too many requests.',
    action: 'Wait a moment, then try again.',
  },
  backend_unreachable: {
    sentence: 'The server can’t reach its database right now.',
    action: 'Try again in a moment.',
  },
  server_unreachable: {
    sentence: 'Can’t reach the server. Check your connection.',
    action: 'Try again when you’re back online.',
  },
  bad_request: {
    sentence: 'The server couldn’t understand this request.',
    action: 'Go back and try again.',
  },
  unexpected: {
    sentence: 'Something went wrong.',
    action: 'Try again. If it keeps happening, contact your administrator.',
  },
} as const satisfies Record<string, ErrorCatalogEntry>;

export type ErrorCode = keyof typeof entries;

/** User-facing text by error code. */
export const errorCatalog: Readonly<Record<ErrorCode, ErrorCatalogEntry>> = entries;

/** Whether an untrusted value is a code of the error catalog. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(entries, value);
}

/**
 * An error that can be shown to the user: `code` selects the text from the error catalog. `details`
 * is technical information that the page shows only on demand.
 */
export class VitrineError extends Error {
  readonly code: ErrorCode;
  readonly details: string | undefined;

  constructor(code: ErrorCode, details?: string, options?: ErrorOptions) {
    super(errorCatalog[code].sentence, options);
    this.name = 'VitrineError';
    this.code = code;
    this.details = details;
  }
}

export interface ErrorDescription extends ErrorCatalogEntry {
  readonly code: ErrorCode;
  readonly details?: string;
}

/** The text to show for an error code, with optional technical details. */
export function describeError(code: ErrorCode, details?: string): ErrorDescription {
  const entry = { code, ...errorCatalog[code] };
  return details === undefined ? entry : { ...entry, details };
}

/** Messages of a failed `fetch` in Chromium, Firefox and WebKit: the browser has no connection. */
const browserFetchFailure = /^(Failed to fetch|NetworkError when|Load failed)/;
/** Message of a failed `fetch` in Node: the server can't reach its backend. */
const serverFetchFailure = /^fetch failed/;

/**
 * Maps anything thrown or returned as an error to a code of the error catalog: the code of a
 * `VitrineError`, or of a database error whose `message` is the code or names a constraint with the
 * same name ('… violates check constraint "title_required"' → `title_required`). Returns
 * `unexpected` for everything else.
 */
export function findErrorCode(error: unknown): ErrorCode {
  if (error instanceof VitrineError) return error.code;
  if (typeof error !== 'object' || error === null) return 'unexpected';
  if ('code' in error && isErrorCode(error.code)) return error.code;
  if (!('message' in error) || typeof error.message !== 'string') return 'unexpected';
  if (error instanceof TypeError && browserFetchFailure.test(error.message))
    return 'server_unreachable';
  if (error instanceof TypeError && serverFetchFailure.test(error.message))
    return 'backend_unreachable';
  const constraint = /constraint "(\w+)"/.exec(error.message)?.[1];
  return [error.message, constraint].find(isErrorCode) ?? 'unexpected';
}
