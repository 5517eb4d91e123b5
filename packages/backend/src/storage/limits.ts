/** Limits of one request, and of one user. */
export const storageLimits = {
  /** Bytes of a file, as on a hosted project by default. A bucket can have a lower limit. */
  maxFileBytes: 50 * 1024 * 1024,
  /** Bytes of a JSON body. */
  maxJsonBytes: 1024 * 1024,
  /** Bytes of the user metadata of a file. */
  maxMetadataBytes: 64 * 1024,
  /**
   * Characters of a name, as in S3. PostgreSQL's index could not store more than about 2,600 bytes.
   */
  maxNameLength: 1024,
  /** Names in one request to delete or sign, and entries on a page of a list. */
  maxNames: 1000,
  /**
   * Uploads that one user or IP address may make at once, and the seconds until one more is
   * available.
   */
  uploadBurst: 1000,
  uploadRefillSeconds: 0.1,
  /** Lifetime of a signed upload URL, in seconds. */
  signedUploadLifetimeSeconds: 2 * 60 * 60,
  /** Database connections; none is held during a transfer. */
  connections: 10,
  /** Statement timeout by role. */
  statementTimeoutMs: { anon: 1_000, authenticated: 3_000, service_role: 30_000 },
} as const;
