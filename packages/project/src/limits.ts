/** Every limit that is ours to set, each with its reason. Sizes are in bytes unless the name says otherwise. */
export const limits = {
  /** Names are DNS-safe and short enough for `/@name/slug` on a phone. */
  usernameMin: 3,
  usernameMax: 30,
  /** Length beats composition rules (NIST SP 800-63B, 5.1.1). */
  passwordMin: 10,
  /** bcrypt reads no further than this, so a longer password would be cut in silence. */
  passwordMaxBytes: 72,
  displayNameMax: 80,
  bioMax: 1_000,
  websiteMax: 255,
  titleMax: 120,
  descriptionMax: 5_000,
  /** The longest file name that common file systems take. */
  pathMaxBytes: 255,
  fileMaxBytes: 1024 * 1024,
  projectMaxBytes: 10 * 1024 * 1024,
  projectMaxFiles: 200,
  /** One update may carry a whole project that was pasted at once, never more. */
  updateMaxBytes: 2 * 1024 * 1024,
  updatesPerCall: 500,
  /** Longer, and a crash would cost a person more than a word. */
  keepOnDeviceMs: 250,
  sendWithinMs: 1_000,
  /** Retries after a failed send, in seconds; the last one repeats. */
  retrySeconds: [1, 2, 5, 10],
  /** More rows than anyone reads, few enough to keep the page quick. */
  consoleEntries: 1_000,
  consoleDepth: 5,
  /** Stop is offered after this long without an answer; nothing is ever stopped unasked. */
  stallMs: 2_000,
  /** Direct packages of a project, and all that these bring along. */
  directPackages: 50,
  lockPackages: 1_000,
  previewsAtOnce: 6,
  cardsPerPage: 24,
  projectsPerHour: 60,
  trashDays: 30,
} as const;
