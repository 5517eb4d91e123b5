/** How much one request may ask for; each number bounds work that a stranger can cause. */
export const restLimits = {
  /** Rows in an answer, and in each embedded list of it, whatever the settings say. */
  maxRows: 1000,
  /** Characters of a regular expression. */
  maxPatternLength: 100,
  /** Relations inside relations: `a(b(c(d(e))))` is the deepest. */
  maxEmbedDepth: 5,
  /** Embedded relations in one request: each is a subquery for every row. */
  maxEmbeds: 24,
  /** Items of all select lists together; PostgreSQL itself stops at 1,664 in one. */
  maxSelectItems: 400,
  /** `and(or(not.and(…)))`; PostgreSQL's parser and ours both recurse. */
  maxFilterDepth: 10,
  /**
   * A statement's values, subqueries and characters. An address within its limits can ask for
   * more: each test of an embedded relation repeats all of that relation's own tests.
   */
  maxValues: 4_000,
  maxSubqueries: 200,
  maxStatementLength: 256 * 1024,
  maxUrlBytes: 16 * 1024,
  /** A project's 10 MiB of text, escaped as JSON, beside its document as base64. */
  maxBodyBytes: 32 * 1024 * 1024,
  /** An identifier beyond this is cut by PostgreSQL, so a longer alias would come back changed. */
  maxNameBytes: 63,
  /** How long a statement may run before it is cancelled, by the caller's role. */
  statementTimeoutMs: { anon: 1_000, authenticated: 3_000, service_role: 30_000 },
  /** How long beyond its statement a request may hold a session: then its connection is given up. */
  lostMs: 2_000,
  /** How long a request waits for a free session. */
  sessionWaitMs: 5_000,
  /** The part of the sessions that one person, or all visitors together, may hold at once. */
  sessionShare: 0.6,
  /** Requests waiting for a session, of all and of each; one more is refused at once. */
  maxWaiting: 500,
  maxWaitingEach: 150,
  /**
   * A connection is replaced when it has prepared this many statements, or statements of this many
   * characters together: they are never freed singly, and a plan takes far more than its text.
   */
  maxStatements: 300,
  maxStatementsLength: 256 * 1024,
  /** A longer statement is planned each time, and not kept. */
  maxPreparedLength: 8 * 1024,
  /** Asking for an unknown relation reads the catalogue again at most this often. */
  schemaReloadMs: 5_000,
} as const;
