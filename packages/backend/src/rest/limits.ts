/** Limits of one request; each bounds the work that a stranger can cause. */
export const restLimits = {
  /** Rows of a response, and of each embedded list, whatever the settings say. */
  maxRows: 1000,
  /** Characters of a regular expression. */
  maxPatternLength: 100,
  /** Nesting of embedded relations: `a(b(c(d(e))))` is the deepest. */
  maxEmbedDepth: 5,
  /** Embedded relations in a request: each is a subquery for every row. */
  maxEmbeds: 24,
  /** Items of all select lists together; PostgreSQL's limit is 1,664 in one. */
  maxSelectItems: 400,
  /** Nesting of `and(or(not.and(…)))`; both this parser and PostgreSQL's recurse. */
  maxFilterDepth: 10,
  /**
   * Values, subqueries and characters of a statement. A URL within its limits could exceed them:
   * each test of an embedded relation repeats all tests of that relation.
   */
  maxValues: 4_000,
  maxSubqueries: 200,
  maxStatementLength: 256 * 1024,
  maxUrlBytes: 16 * 1024,
  /** A project's 10 MiB of text, escaped as JSON, plus its document as base64. */
  maxBodyBytes: 32 * 1024 * 1024,
  /** PostgreSQL truncates longer identifiers, so a longer alias would come back changed. */
  maxNameBytes: 63,
  /** Statement timeout by role, in milliseconds. */
  statementTimeoutMs: { anon: 1_000, authenticated: 3_000, service_role: 30_000 },
  /**
   * Milliseconds beyond the statement timeout after which a request's connection counts as lost.
   */
  connectionLossMs: 2_000,
  /** Milliseconds that a request waits for a free session. */
  sessionWaitMs: 5_000,
  /** Share of the sessions that one user, or all visitors together, may hold. */
  maxSessionShare: 0.6,
  /** Share of the sessions that the visitors of one address may hold. */
  maxVisitorShare: 0.4,
  /** Requests that wait for a session, in total and per user; more are rejected at once. */
  maxWaiting: 500,
  maxWaitingPerUser: 150,
  /**
   * Prepared statements, and their characters, after which a connection is replaced: they are never
   * freed individually, and a plan takes far more memory than its text.
   */
  maxStatements: 300,
  maxStatementsLength: 256 * 1024,
  /** Longer statements are not prepared. */
  maxPreparedLength: 8 * 1024,
  /** Minimum interval between reloads of the catalog for unknown names, in milliseconds. */
  schemaReloadMs: 5_000,
} as const;
