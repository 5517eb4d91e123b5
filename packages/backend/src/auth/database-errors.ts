import { isErrorCode } from '@vitrine/project';
import { AuthError } from './auth-error.ts';

/**
 * Maps errors raised by the product's triggers and constraints to AuthErrors. They carry a code of
 * the product's error catalog, either as the message (`raise … using errcode = 'PT409', message =
 * 'username_taken'`) or as the name of the constraint.
 */
export async function mapDatabaseErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw findMappedError(error) ?? error;
  }
}

function findMappedError(error: unknown): AuthError | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') {
    return undefined;
  }
  const { code, message } = error;
  const status = /^PT(4\d\d)$/.exec(code)?.[1];
  if (status !== undefined && isErrorCode(message))
    return new AuthError(Number(status), message, message);
  if (code === 'P0001' && isErrorCode(message)) return new AuthError(422, message, message);
  const constraint = 'constraint_name' in error ? error.constraint_name : undefined;
  if (!/^23(505|514)$/.test(code) || !isErrorCode(constraint)) return undefined;
  return new AuthError(code === '23505' ? 409 : 422, constraint, constraint);
}
