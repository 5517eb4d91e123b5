const connectionErrorCodes = new Set([
  // Error codes of the driver and of Node
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  // Error codes of PostgreSQL: too many connections, shutting down, crashed, starting up
  '53300',
  '57P01',
  '57P02',
  '57P03',
]);

/**
 * Whether a query failed because the database could not be reached, so that a retry may succeed.
 */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') {
    return false;
  }
  return connectionErrorCodes.has(error.code) || error.code.startsWith('08');
}
