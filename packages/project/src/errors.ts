/**
 * The error catalog: messages of the product’s own errors, by code. The database, the server and the
 * page pass error codes to each other; only the code that displays an error looks up its text here.
 */

/** The text of an error: `message` says what happened, `action` what to do about it. */
export interface ErrorCatalogEntry {
  readonly message: string;
  readonly action: string;
}

const entries = {
  sign_in_failed: {
    message: 'Incorrect email or password.',
    action: 'Check both, or choose “Forgot password?”.',
  },
  current_password_required: {
    message: 'Enter your current password.',
    action: 'If you don’t remember it, get a code by email.',
  },
  current_password_wrong: {
    message: 'That isn’t your current password.',
    action: 'Enter the password you sign in with, or get a code by email.',
  },
  email_not_confirmed: {
    message: 'Your email address isn’t confirmed yet.',
    action: 'Open the link in the email we sent you, then sign in.',
  },
  email_invalid: {
    message: 'Enter a valid email address.',
    action: 'Use a format like name@example.org.',
  },
  email_taken: {
    message: 'An account with this email already exists.',
    action: 'Sign in, or choose “Forgot password?”.',
  },
  password_too_short: {
    message: 'Password must be at least 10 characters.',
    action: 'A few random words work well.',
  },
  password_too_long: {
    message: 'Password is too long.',
    action: 'Use 72 characters or fewer. Accents and emoji count as more than one.',
  },
  password_not_text: {
    message: 'This password has a character that can’t be used.',
    action: 'Type it instead of pasting it, or choose another one.',
  },
  password_too_common: {
    message: 'This password is too common.',
    action: 'Choose one that’s harder to guess.',
  },
  password_like_account: {
    message: 'Password can’t be your email or username.',
    action: 'Choose one that others don’t know.',
  },
  link_expired: {
    message: 'This link has expired or was already used.',
    action: 'Request a new one, and open it in the same browser. Links expire and work only once.',
  },
  too_many_attempts: {
    message: 'Too many attempts.',
    action: 'Wait a few minutes, then try again.',
  },
  session_expired: {
    message: 'You’re signed out.',
    action: 'Sign in again.',
  },
  sign_in_again: {
    message: 'Confirm it’s you to make this change.',
    action: 'Sign out, sign in again, and try again within ten minutes.',
  },
  provider_refused: {
    message: 'Sign-in was canceled or timed out.',
    action: 'Try again, or use another sign-in method.',
  },
  provider_unreachable: {
    message: 'The sign-in provider isn’t responding.',
    action: 'Try again later, or use another sign-in method.',
  },
  provider_email_missing: {
    message: 'The provider didn’t share a verified email address.',
    action: 'Verify your email address with the provider, then try again.',
  },
  identity_taken: {
    message: 'This sign-in method is already linked to an account.',
    action: 'If it’s your account, sign in to it and unlink the method there.',
  },
  linking_off: {
    message: 'Linking other sign-in methods is disabled on this instance.',
    action: 'Contact your administrator.',
  },
  sign_up_closed: {
    message: 'Sign-ups are closed on this instance.',
    action: 'Ask your administrator for an invitation.',
  },
  code_required: {
    message: 'Enter the code.',
    action: 'It’s in the email we sent you, or in your authenticator app.',
  },
  code_wrong: {
    message: 'This code is incorrect, expired, or already used.',
    action: 'Enter the latest code. Authenticator apps show a new one every 30 seconds.',
  },
  second_factor_needed: {
    message: 'This requires a code from your authenticator app.',
    action: 'Sign out and back in, and enter the code when asked.',
  },
  second_factor_off: {
    message: 'Two-factor authentication is disabled on this instance.',
    action: 'Contact your administrator.',
  },
  factor_name_taken: {
    message: 'You already have an authenticator app with this name.',
    action: 'Choose another name.',
  },
  too_many_factors: {
    message: 'You’ve reached the limit of authenticator apps for an account.',
    action: 'Remove one, then add another.',
  },
  proof_needed: {
    message: 'Enter your password or a code to continue.',
    action: 'You won’t have to do this again for ten minutes.',
  },
  mail_not_sent: {
    message: 'We couldn’t send the email, so nothing changed.',
    action: 'Try again later.',
  },
  export_failed: {
    message: 'We couldn’t export your data.',
    action: 'Try again in a moment.',
  },
  suspended: {
    message: 'Your account is suspended.',
    action: 'You can view and export, but not change anything. Contact your administrator.',
  },
  user_banned: {
    message: 'Your account is suspended.',
    action: 'Contact your administrator.',
  },
  not_found_or_private: {
    message: 'Page not found.',
    action: 'It may be private or no longer exist.',
  },
  version_not_found: {
    message: 'This version doesn’t exist, or you can’t view it.',
    action: 'Choose another one in History.',
  },
  project_in_trash: {
    message: 'This project is in the trash.',
    action: 'It’s deleted after 30 days unless you restore it.',
  },
  not_allowed: {
    message: 'You don’t have permission to do that.',
    action: 'Ask the owner for access, or fork the project.',
  },
  gone_or_not_allowed: {
    message: 'This no longer exists, or you can’t change it anymore.',
    action: 'It may have been changed in another tab or on another device.',
  },
  no_longer_in_project: {
    message: 'You no longer have access to this project.',
    action: 'You can keep viewing it until you leave. Fork it to keep a copy.',
  },
  invitee_required: {
    message: 'Enter a username or email address.',
    action: 'To invite anyone who has it, create a link instead.',
  },
  user_not_found: {
    message: 'No user has this username.',
    action: 'Check the spelling, or invite them by email or link.',
  },
  already_owner: {
    message: 'The owner already has full access.',
    action: 'Invite someone else.',
  },
  already_member: {
    message: 'This person already has this access.',
    action: 'To change their role, use the list of people.',
  },
  member_not_found: {
    message: 'This person is no longer in the project.',
    action: 'Invite them to give them access again.',
  },
  too_many_members: {
    message: 'Projects can have up to 50 members, including pending invitations.',
    action: 'Remove a member or revoke an invitation, then try again.',
  },
  invitation_not_found: {
    message: 'Invitation not found.',
    action: 'It may be for another account, or the link may be incomplete. Ask for a new one.',
  },
  invitation_not_yours: {
    message: 'This invitation is for another email address.',
    action: 'Sign in with the account it was sent to, or ask for a new one.',
  },
  invitation_email_unverified: {
    message: 'Verify your email address to accept this invitation.',
    action: 'Choose “Verify email” in your account settings, then open the invitation again.',
  },
  invitation_expired: {
    message: 'This invitation has expired.',
    action: 'Ask the project’s owner for a new one.',
  },
  invitation_revoked: {
    message: 'This invitation is no longer valid.',
    action: 'Ask the project’s owner for a new one.',
  },
  invitation_declined: {
    message: 'This invitation was declined.',
    action: 'If you changed your mind, ask the project’s owner for a new one.',
  },
  invitation_used: {
    message: 'This invitation was already accepted.',
    action: 'If you need access, ask the project’s owner for a new one.',
  },
  username_taken: {
    message: 'This username is taken.',
    action: 'Choose another.',
  },
  invalid_username: {
    message: 'Usernames must be 3–30 characters: lowercase letters, numbers, and single hyphens.',
    action: 'Change it and try again.',
  },
  picture_unreadable: {
    message: 'We couldn’t read this file as an image.',
    action: 'Choose a PNG, JPEG, WebP, GIF, or AVIF file.',
  },
  title_required: {
    message: 'Title must be 1–120 characters.',
    action: 'Change it and try again.',
  },
  description_too_long: {
    message: 'Description must be 5,000 characters or fewer.',
    action: 'Shorten it and try again.',
  },
  invalid_tag: {
    message: 'Tags must be 1–30 characters: lowercase letters, numbers, and “-”, “+”, “.”, or “#”.',
    action: 'Change it and try again.',
  },
  too_many_tags: {
    message: 'Projects can’t have more than 8 tags.',
    action: 'Remove a tag, then try again.',
  },
  collection_full: {
    message: 'Collections can’t have more than 500 projects.',
    action: 'Remove some, or start another collection.',
  },
  note_too_long: {
    message: 'Notes must be 500 characters or fewer.',
    action: 'Shorten it and try again.',
  },
  file_too_large: {
    message: 'Files can’t be larger than 1 MB.',
    action: 'Split the file or remove some of its text.',
  },
  file_not_text: {
    message: 'A file contains invalid characters.',
    action: 'Remove null characters and malformed Unicode, then try again.',
  },
  file_binary: {
    message: 'This file isn’t text, so it can’t be inserted here.',
    action: 'To add it to the project, drop it on Files.',
  },
  project_too_large: {
    message: 'Projects can’t be larger than 10 MB.',
    action: 'Remove some files or text, then try again.',
  },
  asset_too_large: {
    message: 'Images and other binary files can’t be larger than 10 MB.',
    action: 'Compress or shrink the file, then try again.',
  },
  asset_missing: {
    message: 'The contents of this file aren’t available.',
    action: 'Replace it with a copy from your device.',
  },
  asset_not_uploaded: {
    message: 'This file couldn’t be uploaded, so the project wasn’t saved.',
    action: 'Everything is still on this device. Check your connection, then save again.',
  },
  upload_refused: {
    message: 'The server rejected this upload.',
    action: 'Try again. If it keeps happening, contact your administrator.',
  },
  storage_full: {
    message: 'Your storage is full.',
    action:
      'Delete projects you don’t need and empty the trash, then try again. Settings shows how much storage you’re using.',
  },
  device_full: {
    message: 'This device is out of storage, so the file can’t be saved.',
    action: 'Free up some space, then add the file again.',
  },
  program_refused: {
    message: 'Executable files can’t be added.',
    action: 'Supported: images, fonts, audio, video, 3D models, WebAssembly, text, and data files.',
  },
  file_unreadable: {
    message: 'The browser couldn’t read this file.',
    action: 'It may have been moved or changed. Select it again.',
  },
  assets_too_large: {
    message: 'A project’s images and other binary files can’t be larger than 100 MB in total.',
    action: 'Remove some, then try again.',
  },
  zip_damaged: {
    message: 'This zip is damaged or incomplete.',
    action: 'Download or create it again, then try again.',
  },
  zip_encrypted: {
    message: 'This zip is password-protected.',
    action: 'Extract it, then import the folder.',
  },
  export_no_page: {
    message: 'This project has no page to open.',
    action: 'Add an index.html, or download it as a zip.',
  },
  export_not_compiled: {
    message: 'Some files couldn’t be prepared.',
    action: 'Check your connection, then try again.',
  },
  export_packages_unavailable: {
    message: 'A package that this project uses can’t be loaded.',
    action: 'Run the project to see which one, or download a zip.',
  },
  export_too_large: {
    message: 'This project’s packages are too large for one file.',
    action: 'Download a zip instead.',
  },
  archive_unsupported: {
    message: 'This archive format isn’t supported.',
    action: 'Extract it, then import the folder.',
  },
  archive_of_account: {
    message: 'This is an account archive.',
    action: 'Import it in Settings, under Account.',
  },
  archive_not_account: {
    message: 'This isn’t an account archive.',
    action: 'Choose a zip saved with “Export my data”. To open a project’s zip, use Import.',
  },
  import_empty: {
    message: 'There’s nothing to import.',
    action: 'Choose a zip or a folder with the files of a project.',
  },
  link_damaged: {
    message: 'This link is damaged or incomplete.',
    action: 'Copy it again from where you found it, to its last character.',
  },
  link_too_long: {
    message: 'This project is too large for a link.',
    action: 'Save it and share that link, or download it as a zip.',
  },
  clipboard_denied: {
    message: 'This browser didn’t allow copying.',
    action: 'Allow clipboard access for this site, then try again.',
  },
  post_unreadable: {
    message: 'The code that another site sent couldn’t be read.',
    action: 'Go back and try again. If it keeps happening, contact that site.',
  },
  post_too_large: {
    message: 'Another site sent more than 2 MB of code.',
    action: 'Download it there, then import the file.',
  },
  link_invalid: {
    message: 'This isn’t a link that can be imported.',
    action: 'Use the https address of a repository, a folder or file in it, a gist, or a file.',
  },
  link_refused: {
    message: 'Only links to public sites can be imported.',
    action:
      'Private networks and nonstandard ports aren’t allowed. Download the files, then import them.',
  },
  link_not_found: {
    message: 'There’s nothing to import at this link.',
    action: 'It may be private, deleted, or misspelled. Check the address.',
  },
  link_unreachable: {
    message: 'This instance couldn’t reach the link’s site.',
    action: 'Check the address, or try again later. Without internet access, import files instead.',
  },
  link_rate_limited: {
    message: 'The site is rate-limiting this instance.',
    action: 'Try again in an hour, or download the files and import them.',
  },
  import_off: {
    message: 'Importing from links is disabled on this instance.',
    action: 'Download the files, then import the zip or folder.',
  },
  import_needs_account: {
    message: 'Sign in to import from links.',
    action: 'You can also download the files and import them.',
  },
  too_many_imports: {
    message: 'You’ve reached the limit of imports from links.',
    action: 'Try again in an hour, or download the files and import them.',
  },
  import_too_large: {
    message: 'This is too large to import.',
    action: 'Import a smaller folder: open it on the site and use its address.',
  },
  import_too_slow: {
    message: 'The import took too long.',
    action: 'Try again, or import a smaller folder.',
  },
  import_damaged: {
    message: 'The files arrived incomplete or damaged.',
    action: 'Try again. If it keeps happening, download the files and import them.',
  },
  import_failed: {
    message: 'The import failed.',
    action: 'Try again. If it keeps happening, contact your administrator.',
  },
  asset_type_refused: {
    message: 'Files of this type can’t be added.',
    action: 'Supported: images, fonts, audio, video, text, JSON, WebAssembly, and 3D models.',
  },
  too_many_files: {
    message: 'Projects can’t have more than 1,000 files.',
    action: 'Remove some, then try again.',
  },
  invalid_path: {
    message: 'This isn’t a valid file path.',
    action: 'Use names separated by “/”, without “.” or “..” segments.',
  },
  path_taken: {
    message: 'A file with this name already exists.',
    action: 'Choose another name.',
  },
  versions_full: {
    message: 'There’s no room for more versions.',
    action: 'Fork the project to start a new history, or delete projects you don’t need.',
  },
  version_conflict: {
    message: 'Someone else saved while you were editing.',
    action: 'Both changes are kept. Check the result, then save again.',
  },
  offline_saved_locally: {
    message: 'You’re offline.',
    action:
      'Your changes are saved on this device and will be sent when you’re back online. Keep this page open, because it can’t be reloaded offline.',
  },
  save_refused: {
    message: 'The server rejected this save.',
    action: 'Copy your work or fork the project.',
  },
  reload_required: {
    message: 'This page is out of date.',
    action: 'Reload it to get the current version.',
  },
  not_kept: {
    message: 'This browser doesn’t allow local storage, so your work exists only in this tab.',
    action: 'Copy your work before you close the tab.',
  },
  format_broken: {
    message: 'The file has a syntax error, so it wasn’t formatted.',
    action: 'Fix the errors in Problems, then format again.',
  },
  format_config: {
    message: 'The project’s Prettier configuration is invalid, so the file wasn’t formatted.',
    action: 'Fix .prettierrc, or the “prettier” key in package.json, then format again.',
  },
  format_unknown: {
    message: 'This file type can’t be formatted.',
    action: 'Supported: HTML, CSS, JavaScript, TypeScript, Vue, Svelte, JSON, YAML, and Markdown.',
  },
  format_part: {
    message: 'The selection can’t be formatted on its own.',
    action: 'Select more, or format the whole file.',
  },
  expression_invalid: {
    message: 'Invalid regular expression.',
    action: 'Check its brackets and backslashes, or search for plain text.',
  },
  expression_slow: {
    message: 'The regular expression takes too long on these files.',
    action: 'Make it more specific. Nested repetition is the usual cause.',
  },
  package_missing: {
    message: 'An imported package isn’t installed.',
    action: 'Install it.',
  },
  package_spec_invalid: {
    message: 'This isn’t a valid package name and version.',
    action: 'Use a format like “three” or “three@^0.180.0”.',
  },
  package_source_refused: {
    message: 'URL and file dependencies aren’t supported.',
    action: 'Use a version from the registry.',
  },
  package_json_invalid: {
    message: 'The project’s package.json is invalid.',
    action: 'Fix it, or undo the last change.',
  },
  package_not_found: {
    message: 'No package with that name was found in the registry.',
    action: 'Check the spelling. A private package needs a registry that has it.',
  },
  package_version_not_found: {
    message: 'A required package version doesn’t exist.',
    action: 'Choose another version of it, or of the package that depends on it.',
  },
  package_conflict: {
    message: 'Some packages need incompatible versions of each other.',
    action: 'Change the version of one of them.',
  },
  packages_too_slow: {
    message: 'Finding compatible versions took too long.',
    action: 'Try again. If that doesn’t help, use exact versions.',
  },
  too_many_packages: {
    message: 'Projects can have up to 50 packages, or 1,000 including their dependencies.',
    action: 'Remove some, then try again.',
  },
  lock_too_large: {
    message: 'The lockfile is larger than 1 MB.',
    action: 'Remove a package, or choose one with fewer dependencies.',
  },
  package_too_large: {
    message: 'This package is too large to load in a page.',
    action: 'Look for a smaller one, or for a part that’s published separately.',
  },
  package_unsafe: {
    message: 'This package contains unsafe files, so it wasn’t unpacked.',
    action: 'Choose another version, and report this to its authors.',
  },
  package_damaged: {
    message: 'The package’s checksum doesn’t match the registry’s.',
    action: 'Try again later. If it keeps happening, contact the registry’s operator.',
  },
  package_changed: {
    message: 'This version has changed in the registry since you added it.',
    action: 'It may have been tampered with. Update to a version you trust.',
  },
  package_mismatch: {
    message: 'The package’s package.json has a different name or version.',
    action: 'Choose another version.',
  },
  package_node_only: {
    message: 'This package is made for Node.js and doesn’t run in a browser.',
    action: 'Look for a package made for browsers.',
  },
  package_subpath_not_found: {
    message: 'The package doesn’t export this path.',
    action: 'Check what follows the package’s name in the import.',
  },
  package_build_failed: {
    message: 'The package couldn’t be built for browsers.',
    action: 'Try another version.',
  },
  package_address_unknown: {
    message: 'This package hasn’t been used on this instance yet.',
    action: 'Reopen the project to load it.',
  },
  registry_unreachable: {
    message: 'The package registry isn’t responding.',
    action:
      'Packages already used on this instance or in the templates still work. Try again later for others.',
  },
  registry_refused: {
    message: 'The package registry denied access.',
    action: 'Ask your administrator to check the registry token.',
  },
  packages_busy: {
    message: 'Too many packages are being built right now.',
    action: 'Wait a moment, then try again.',
  },
  resource_url_invalid: {
    message: 'That isn’t the URL of a script or stylesheet.',
    action: 'Enter one that starts with https://, or paste a <script> or <link> tag.',
  },
  resource_insecure: {
    message: 'Browsers block URLs that start with http:// on this page.',
    action: 'Use https:// instead.',
  },
  resource_duplicate: {
    message: 'This page already loads that URL.',
    action: 'Each script or stylesheet only needs to load once.',
  },
  sandbox_stalled: {
    message:
      'The page isn’t responding. It may be stuck in an infinite loop, or it may be out of memory.',
    action: 'Stop it, or fix the code and it will restart.',
  },
  rate_limited: {
    message: 'Too many requests.',
    action: 'Wait a moment, then try again.',
  },
  url_too_long: {
    message: 'This address is too long.',
    action: 'Open it without the part after “?”.',
  },
  request_too_large: {
    message: 'This is too large to send.',
    action: 'Send less at once.',
  },
  too_many_fields: {
    message: 'This form has too many fields.',
    action: 'Send less at once.',
  },
  request_too_slow: {
    message: 'The connection was too slow.',
    action: 'Try again on a faster network.',
  },
  server_busy: {
    message: 'The server is busy.',
    action: 'Wait a moment, then try again.',
  },
  backend_unreachable: {
    message: 'The server can’t reach its database right now.',
    action: 'Try again in a moment.',
  },
  page_outdated: {
    message: 'This page is from an earlier version of Vitrine.',
    action: 'Reload it to continue.',
  },
  server_unreachable: {
    message: 'Can’t reach the server. Check your connection.',
    action: 'Try again when you’re back online.',
  },
  bad_request: {
    message: 'The server couldn’t understand this request.',
    action: 'Go back and try again.',
  },
  unexpected: {
    message: 'Something went wrong.',
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
    super(errorCatalog[code].message, options);
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

/** Whether an error says nothing about the data: the server or its database can't be reached. */
export function isUnreachable(code: ErrorCode): boolean {
  return code === 'server_unreachable' || code === 'backend_unreachable';
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
