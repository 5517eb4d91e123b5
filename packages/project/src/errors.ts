/**
 * The error catalogue: the only place where the sentences that a person reads are written.
 * `sentence` says what happened, `action` what to do now. The database, the server and the page
 * pass codes around; whoever shows an error looks it up here.
 */
export interface CatalogueEntry {
  readonly sentence: string;
  readonly action: string;
}

const entries = {
  sign_in_failed: {
    sentence: 'That e-mail and password do not match an account.',
    action: 'Check both, or choose “Forgot password?”.',
  },
  current_password_wrong: {
    sentence: 'That isn’t your current password.',
    action: 'Enter the password you sign in with, or get a code by email.',
  },
  email_not_confirmed: {
    sentence: 'This e-mail address is not confirmed yet.',
    action: 'Open the link in the mail we sent, then sign in.',
  },
  email_invalid: {
    sentence: 'That is not an e-mail address we can write to.',
    action: 'Write it like name@example.org.',
  },
  email_taken: {
    sentence: 'There is an account with this e-mail already.',
    action: 'Sign in, or choose “Forgot password?”.',
  },
  password_too_short: {
    sentence: 'The password is shorter than 10 characters.',
    action: 'Choose a longer one: three or four words do well.',
  },
  password_too_long: {
    sentence: 'The password is longer than 72 bytes.',
    action: 'Choose a shorter one.',
  },
  password_too_common: {
    sentence: 'That password is among those that are guessed first.',
    action: 'Choose one that is yours alone.',
  },
  password_like_account: {
    sentence: 'The password is your e-mail or username.',
    action: 'Choose one that is not known to others.',
  },
  link_expired: {
    sentence: 'This link has expired or was used already.',
    action: 'Ask for a new one; it works once, for an hour, in the browser that asked for it.',
  },
  too_many_attempts: {
    sentence: 'Too many attempts in a short time.',
    action: 'Wait a few minutes, then try again.',
  },
  session_expired: {
    sentence: 'You are signed out.',
    action: 'Sign in again; what you wrote is kept on this device.',
  },
  sign_in_again: {
    sentence: 'Confirm it’s you to make this change.',
    action: 'Sign out, sign in again, and try again within ten minutes.',
  },
  provider_refused: {
    sentence: 'The provider did not sign you in: it was stopped there, or took too long.',
    action: 'Try again, or sign in another way.',
  },
  provider_unreachable: {
    sentence: 'The provider did not answer as it should.',
    action: 'Try again later, or sign in another way.',
  },
  provider_email_missing: {
    sentence: 'The provider gave us no e-mail address of yours that it has confirmed.',
    action: 'Confirm your address there, then try again.',
  },
  identity_taken: {
    sentence: 'That way to sign in is linked to an account already.',
    action: 'If the account is yours, sign in to it and unlink it there.',
  },
  linking_off: {
    sentence: 'Linking of other ways to sign in is turned off here.',
    action: 'Write to whoever runs this place.',
  },
  sign_up_closed: {
    sentence: 'There are no new accounts here.',
    action: 'Ask whoever runs this place for an invitation.',
  },
  code_wrong: {
    sentence: 'That code is wrong, was used already or has expired.',
    action: 'Type the newest one; an authenticator has another every 30 seconds.',
  },
  second_factor_needed: {
    sentence: 'Enter a code from your authenticator app to continue.',
    action: 'Sign out, sign in again, and enter the code.',
  },
  second_factor_off: {
    sentence: 'Second factors are turned off here.',
    action: 'Write to whoever runs this place.',
  },
  factor_name_taken: {
    sentence: 'You have an authenticator of that name already.',
    action: 'Choose another name.',
  },
  too_many_factors: {
    sentence: 'You have as many authenticators as an account may have.',
    action: 'Remove one, then add another.',
  },
  proof_needed: {
    sentence: 'This needs your password or a code again.',
    action: 'Type it once more; what was typed counts for ten minutes.',
  },
  mail_not_sent: {
    sentence: 'The mail about this could not be sent, so nothing was changed.',
    action: 'Try again later.',
  },
  export_failed: {
    sentence: 'Your data could not be put together.',
    action: 'Try again in a moment.',
  },
  suspended: {
    sentence: 'This account may read and export, but not change anything.',
    action: 'Write to whoever runs this place.',
  },
  not_found_or_private: {
    sentence: 'There is nothing here, or it is private.',
    action: 'Check the address, or sign in with an account that may see it.',
  },
  not_allowed: {
    sentence: 'You may not do that here.',
    action: 'Fork the project to make it yours.',
  },
  no_longer_in_project: {
    sentence: 'You are no longer part of this project.',
    action: 'What is on the screen stays until you leave; fork it to keep a copy.',
  },
  username_taken: {
    sentence: 'That username is taken.',
    action: 'Choose another.',
  },
  invalid_username: {
    sentence: 'A username has 3 to 30 of a–z, 0–9 and single hyphens between them.',
    action: 'Change it and try again.',
  },
  picture_unreadable: {
    sentence: 'That file could not be read as a picture.',
    action: 'Choose a PNG, JPEG, WebP, GIF or AVIF file.',
  },
  title_required: {
    sentence: 'A title has 1 to 120 characters.',
    action: 'Change it and try again.',
  },
  description_too_long: {
    sentence: 'A description has at most 5,000 characters.',
    action: 'Shorten it and try again.',
  },
  file_too_large: {
    sentence: 'A file may hold at most 1 MiB of text.',
    action: 'Split it, or take something out.',
  },
  file_not_text: {
    sentence: 'A file holds characters that are not text.',
    action: 'Take out null characters and broken emoji halves, then try again.',
  },
  file_binary: {
    sentence: 'Images and other binary files can’t be added yet.',
    action: 'Add text files instead: HTML, CSS, JavaScript, JSON, Markdown or SVG.',
  },
  project_too_large: {
    sentence: 'A project may hold at most 10 MiB of text.',
    action: 'Take something out, then save again.',
  },
  too_many_files: {
    sentence: 'A project may hold at most 200 files.',
    action: 'Remove some, then try again.',
  },
  invalid_path: {
    sentence: 'That is not a file path we can keep.',
    action: 'Use names separated by “/”, without “.” or “..” segments.',
  },
  path_taken: {
    sentence: 'There is a file of that name already.',
    action: 'Choose another name.',
  },
  version_conflict: {
    sentence: 'Someone saved while you were editing.',
    action: 'Both are kept; look at the result and save again.',
  },
  offline_saved_locally: {
    sentence: 'You’re offline. Your changes are saved on this device.',
    action: 'Keep this page open: it can’t be reloaded offline. Changes are sent when you’re back.',
  },
  save_refused: {
    sentence: 'The server did not take this save. Your work is kept on this device.',
    action: 'Copy it or fork the project; the reason is in the details.',
  },
  not_kept: {
    sentence: 'This browser keeps nothing for us, so your work is only in this tab.',
    action: 'Copy your work before you close it.',
  },
  compile_failed: {
    sentence: 'The code has a mistake, so it does not run yet.',
    action: 'Go to the line; the last result that worked stays until it does.',
  },
  format_broken: {
    sentence: 'The file has a mistake in its grammar, so it was not formatted.',
    action: 'Mend what Problems lists, then format it.',
  },
  format_config: {
    sentence: 'What the project says of its format cannot be read, so the file was not formatted.',
    action: 'Mend .prettierrc, or “prettier” in package.json, then format it.',
  },
  format_unknown: {
    sentence: 'Files of this kind are not formatted.',
    action: 'Pages, styles, scripts, components, JSON, YAML and Markdown are.',
  },
  format_part: {
    sentence: 'What is selected cannot be formatted without what stands around it.',
    action: 'Select more of it, or format the file.',
  },
  expression_invalid: {
    sentence: 'The expression cannot be read.',
    action: 'Look at its brackets and backslashes, or search for plain text.',
  },
  expression_slow: {
    sentence: 'The expression takes too long on these files.',
    action: 'Make it more exact: a repeat within a repeat is the usual cause.',
  },
  runtime_error: {
    sentence: 'The page stopped at an error.',
    action: 'Go to the line.',
  },
  package_missing: {
    sentence: 'A package is imported that this project does not have.',
    action: 'Add it.',
  },
  package_spec_invalid: {
    sentence: 'That is not a package name with a version or range.',
    action: 'Write it like “three” or “three@^0.180.0”.',
  },
  package_source_refused: {
    sentence: 'A package is asked for by a link or a file, not by name and version.',
    action: 'Use a version from the registry; the details name the package.',
  },
  package_json_invalid: {
    sentence: 'The project’s package.json cannot be read.',
    action: 'Mend it as the details say, or take the last change back.',
  },
  package_not_found: {
    sentence: 'The registry has no package of that name.',
    action: 'Check the spelling. A private package needs a registry that has it.',
  },
  package_version_not_found: {
    sentence: 'A package is wanted in a version that does not exist.',
    action: 'The details name it. Choose another version, of it or of what brings it along.',
  },
  package_conflict: {
    sentence: 'Some packages want versions of each other that do not go together.',
    action: 'Change the version of one of them; the details name both.',
  },
  packages_too_slow: {
    sentence: 'Finding versions that go together took too long.',
    action: 'Try again; if it stays, name exact versions.',
  },
  too_many_packages: {
    sentence: 'A project may have 50 packages, and 1,000 with all they bring along.',
    action: 'Remove some, then try again.',
  },
  lock_too_large: {
    sentence: 'The packages bring so many others that the list of them passes 1 MiB.',
    action: 'Remove one, or choose one that needs fewer.',
  },
  package_too_large: {
    sentence: 'The package is larger than a page should load.',
    action: 'Look for a smaller one, or a part of it that is a package of its own.',
  },
  package_unsafe: {
    sentence: 'The package holds files that do not belong in one, so we did not unpack it.',
    action: 'Choose another version, and tell its authors what the details say.',
  },
  package_damaged: {
    sentence: 'What the registry sent is not what it announced.',
    action: 'Try again later; if it stays, tell whoever runs the registry.',
  },
  package_changed: {
    sentence: 'The registry has something else under this version than when you added it.',
    action: 'Be careful: update to another version that you trust.',
  },
  package_mismatch: {
    sentence: 'The package’s own package.json names another package or version.',
    action: 'Choose another version; the details say what it names.',
  },
  package_node_only: {
    sentence: 'The package is made for servers and does not run in a browser.',
    action: 'Look for one that is made for browsers.',
  },
  package_subpath_not_found: {
    sentence: 'The package offers nothing under that name.',
    action: 'Check what stands behind the package’s name in the import.',
  },
  package_build_failed: {
    sentence: 'The package could not be made ready for browsers.',
    action: 'Try another version; the reason is in the details.',
  },
  package_address_unknown: {
    sentence: 'This package was not asked for here before.',
    action: 'Open the project again, which makes it known.',
  },
  registry_unreachable: {
    sentence: 'The package registry does not answer.',
    action: 'Packages used here before and those of the templates work; try others later.',
  },
  registry_refused: {
    sentence: 'The package registry does not let us in.',
    action: 'Ask whoever runs this place to check its token for the registry.',
  },
  packages_busy: {
    sentence: 'Many packages are being made ready just now.',
    action: 'Wait a little, then try again.',
  },
  sandbox_stalled: {
    sentence: 'The page does not answer: it may be in an endless loop, or out of memory.',
    action: 'Stop it, or change the code and it comes back by itself.',
  },
  sandbox_blocked: {
    sentence: 'This browser gives the result no storage, so some of it works differently.',
    action: 'Open the project in its own tab for the whole of it.',
  },
  sandbox_left: {
    sentence: 'The page went to another site, which the result does not show.',
    action: 'Run it again.',
  },
  rate_limited: {
    sentence: 'That was a lot in a short time.',
    action: 'Wait a little, then try again.',
  },
  backend_unreachable: {
    sentence: 'The server cannot reach its data just now.',
    action: 'Try again in a moment; what you wrote is kept on this device.',
  },
  server_unreachable: {
    sentence: 'The server does not answer: there may be no connection.',
    action: 'Try again once it is back; what you wrote is kept on this device.',
  },
  cookies_cleared: {
    sentence: 'A page you ran had filled this site’s cookies, so we cleared them.',
    action: 'Sign in again; every draft is still here.',
  },
  bad_request: {
    sentence: 'The server did not understand that request.',
    action: 'Go back and try again.',
  },
  unexpected: {
    sentence: 'Something went wrong that we did not expect.',
    action: 'Try again; if it stays, write to whoever runs this place.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof entries;

/** Code → what a person is told. */
export const catalogue: Readonly<Record<ErrorCode, CatalogueEntry>> = entries;

/** True when the value is a code of the catalogue, whatever it came from. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(entries, value);
}

/** An error that a person can be told about. `details` is technical and shown only on demand. */
export class VitrineError extends Error {
  readonly code: ErrorCode;
  readonly details: string | undefined;

  constructor(code: ErrorCode, details?: string, options?: ErrorOptions) {
    super(catalogue[code].sentence, options);
    this.name = 'VitrineError';
    this.code = code;
    this.details = details;
  }
}

export interface ErrorDescription extends CatalogueEntry {
  readonly code: ErrorCode;
  readonly details?: string;
}

/** What to show for an error code, with optional technical details. */
export function describeError(code: ErrorCode, details?: string): ErrorDescription {
  const entry = { code, ...catalogue[code] };
  return details === undefined ? entry : { ...entry, details };
}

/** What `fetch` says without a connection, in Chromium, Firefox and WebKit. */
const failedFetch = /^(Failed to fetch|NetworkError when|Load failed)/;
/** What it says in Node: there it is the server that reaches nobody. */
const failedFetchOfServer = /^fetch failed/;

/**
 * The catalogue's code in whatever was thrown or answered: a `VitrineError`, or an error of the
 * database, whose `message` is the code or names the constraint that is called like it
 * ('… violates check constraint "title_required"' → `title_required`). Else `unexpected`.
 */
export function findErrorCode(error: unknown): ErrorCode {
  if (error instanceof VitrineError) return error.code;
  if (typeof error !== 'object' || error === null) return 'unexpected';
  if ('code' in error && isErrorCode(error.code)) return error.code;
  if (!('message' in error) || typeof error.message !== 'string') return 'unexpected';
  if (error instanceof TypeError && failedFetch.test(error.message)) return 'server_unreachable';
  if (error instanceof TypeError && failedFetchOfServer.test(error.message))
    return 'backend_unreachable';
  const constraint = /constraint "(\w+)"/.exec(error.message)?.[1];
  return [error.message, constraint].find(isErrorCode) ?? 'unexpected';
}
