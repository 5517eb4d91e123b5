/** How much one request may ask for, and one person in a row. */
export const storageLimits = {
  /** Of one file, as on a hosted project unless that raises it; a bucket's own limit may be lower. */
  maxFileBytes: 50 * 1024 * 1024,
  /** Of a body that is JSON. */
  maxJsonBytes: 1024 * 1024,
  /** Of a file's own metadata. */
  maxMetadataBytes: 64 * 1024,
  /** As S3 has it. PostgreSQL's index would refuse one of some 2,600. */
  maxNameLength: 1024,
  /** Names in one request to remove or to sign, and entries in one page of a list. */
  maxNames: 1000,
  /** Files that one person, or one address, may write at once, and in how many seconds one more. */
  uploadBurst: 1000,
  uploadRefillS: 0.1,
  /** How long an address that was signed for an upload is good. */
  signedUploadS: 2 * 60 * 60,
  /** Connections to the database; none is held while bytes travel. */
  connections: 10,
  /** How long a statement may run before it is cancelled, by the caller's role. */
  statementTimeoutMs: { anon: 1_000, authenticated: 3_000, service_role: 30_000 },
} as const;
