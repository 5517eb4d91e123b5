/** All limits of the product, with reasons. Text lengths are in characters, sizes as the name says. */
export const limits = {
  /** Usernames are valid DNS labels and short enough for `/@name/slug` on a phone. */
  usernameMin: 3,
  usernameMax: 30,
  /** Length beats composition rules (NIST SP 800-63B, 5.1.1). */
  passwordMin: 10,
  /** bcrypt ignores all bytes after the 72nd, so a longer password would be truncated silently. */
  passwordMaxBytes: 72,
  displayNameMax: 80,
  bioMax: 1_000,
  websiteMax: 255,
  titleMax: 120,
  descriptionMax: 5_000,
  tagMax: 30,
  /** Enough to find a project by, few enough to fit on its card. */
  projectMaxTags: 8,
  collectionMaxProjects: 500,
  noteMax: 500,
  /** The longest file name that common file systems support. */
  pathMaxBytes: 255,
  fileMaxBytes: 1024 * 1024,
  projectMaxBytes: 10 * 1024 * 1024,
  /** Files of both kinds. */
  projectMaxFiles: 1_000,
  /** Assets are stored and sent one by one, so they may be larger than texts. */
  assetMaxBytes: 10 * 1024 * 1024,
  /** All assets of a project. They don't count toward `projectMaxBytes`. */
  projectMaxAssetBytes: 100 * 1024 * 1024,
  /**
   * Everything that a user has uploaded, in projects or not. Room for ten projects of the largest
   * size, and a bound on what one account can fill of the disk.
   */
  userMaxAssetBytes: 1024 * 1024 * 1024,
  /** Bytes that the smallest asset counts as, and assets of a user: rows and files take room too. */
  assetMinBytes: 4 * 1024,
  userMaxAssets: 20_000,
  /** Size of one Yjs update. Large enough to paste a big file at once. */
  updateMaxBytes: 2 * 1024 * 1024,
  updatesPerCall: 500,
  /** Delay before edits are saved on the device. A crash loses at most about a word. */
  localSaveDelayMs: 250,
  serverSaveDelayMs: 1_000,
  /** Delays between retries after a failed save; the last one repeats. */
  retrySeconds: [1, 2, 5, 10],
  /** Log entries kept in the console. Few enough to keep the page fast. */
  consoleEntries: 1_000,
  consoleDepth: 5,
  /** Time without a heartbeat until a preview counts as unresponsive and Stop is offered. */
  unresponsiveMs: 2_000,
  /** Direct dependencies of a project, and all packages including transitive ones. */
  directPackages: 50,
  lockfilePackages: 1_000,
  maxRunningPreviews: 6,
  cardsPerPage: 24,
  projectsPerHour: 60,
  versionMessageMax: 200,
  versionsPerHour: 200,
  collectionsPerHour: 60,
  /** Versions of a project: texts that differ, and paths that any of them has. */
  projectMaxVersionBytes: 256 * 1024 * 1024,
  projectMaxVersionPaths: 10_000,
  /** Versions of all projects that a user owns. */
  userMaxVersionBytes: 1024 * 1024 * 1024,
  /** First states and updates of documents, which are kept. */
  userMaxSavedBytesPerHour: 512 * 1024 * 1024,
  trashDays: 30,
  /** Members of a project besides its owner, with pending invitations. */
  projectMaxMembers: 50,
  /** Default lifetime of an invitation. Long enough for a week's absence. */
  invitationDays: 7,
  invitationsPerHour: 60,
  /** Invitations that a user gets, and mails that an address gets, whoever sends them. */
  receivedInvitationsPerDay: 50,
  mailsPerAddressPerDay: 10,
  /** Imports from links, by a user, and by all visitors who share a network address. */
  importsPerHour: 60,
  importsPerAddressPerHour: 120,
  /** Projects deleted from the trash in one call, which takes less than the database's 8 seconds. */
  purgedPerCall: 200,
} as const;
