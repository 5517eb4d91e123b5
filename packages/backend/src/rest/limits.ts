/** How much one request may ask for; each number bounds work that a stranger can cause. */
export const restLimits = {
  /** Rows in an answer, and in each embedded list of it; more are read with `offset`. */
  maxRows: 1000,
  /** Relations inside relations: `a(b(c(d(e))))` is the deepest. */
  maxEmbedDepth: 5,
  /** Embedded relations in one request: each is a subquery for every row. */
  maxEmbeds: 24,
  /** Items of all select lists together; PostgreSQL itself stops at 1,664 in one. */
  maxSelectItems: 400,
  /** `and(or(not.and(…)))`; PostgreSQL's parser and ours both recurse. */
  maxFilterDepth: 10,
  maxUrlBytes: 16 * 1024,
  /** A project's 10 MiB of text, escaped as JSON, beside its document as base64. */
  maxBodyBytes: 32 * 1024 * 1024,
  /** An identifier beyond this is cut by PostgreSQL, so a longer alias would come back changed. */
  maxNameBytes: 63,
  /** How long a statement may run before it is cancelled, by the caller's role. */
  statementTimeoutMs: { anon: 1_000, authenticated: 3_000, service_role: 30_000 },
  /** How long a request waits for a free session. */
  sessionWaitMs: 5_000,
  /** Requests waiting for a session; one more is refused at once. */
  maxWaiting: 500,
  /** A connection is replaced after preparing this many statements: they are never freed singly. */
  maxStatements: 500,
  /** Asking for an unknown relation reads the catalogue again at most this often. */
  schemaReloadMs: 5_000,
} as const;
