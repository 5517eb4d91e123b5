import { AuthApiError, AuthRetryableFetchError } from '@supabase/supabase-js';
import { describe, expect, test } from 'vitest';
import { toAuthFailure } from '../../app/session/auth-failure.ts';

describe('an error of the auth client', () => {
  test.each([
    ['invalid_credentials', 400, 'sign_in_failed', 'password'],
    ['email_not_confirmed', 400, 'email_not_confirmed', 'email'],
    ['user_already_exists', 422, 'email_taken', 'email'],
    ['otp_expired', 403, 'code_wrong', 'code'],
    ['over_email_send_rate_limit', 429, 'too_many_attempts', undefined],
    ['never_heard_of', 429, 'too_many_attempts', undefined],
    ['toString', 500, 'unexpected', undefined],
  ])('%s (%i) maps to %s at field %s', (code, status, ours, field) => {
    const problem = toAuthFailure(new AuthApiError('words of theirs', status, code));
    expect([problem.code, problem.field]).toEqual([ours, field]);
  });

  test('is found in the message when the database rejected the name', () => {
    const refused = new AuthApiError('Database error: username_taken', 500, 'unexpected_failure');
    expect(toAuthFailure(refused)).toMatchObject({ code: 'username_taken', field: 'username' });
  });

  test('is server_unreachable without a connection', () => {
    expect(toAuthFailure(new AuthRetryableFetchError('Failed to fetch', 0)).code).toBe(
      'server_unreachable',
    );
  });

  test('with an unknown code keeps its message only in the details', () => {
    expect(toAuthFailure(new TypeError('x is undefined'))).toEqual({
      code: 'unexpected',
      details: 'TypeError: x is undefined',
    });
  });
});
