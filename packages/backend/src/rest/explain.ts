import { createNotAcceptableError, type ResponseFormat } from './response-format.ts';
import type { RestSettings } from './schema/schema.ts';
import type { BoundStatement } from './sql/statement.ts';

/**
 * Returns the statement, or its EXPLAIN when the plan is requested. Throws when plans are disabled.
 */
export function applyExplain(
  statement: BoundStatement,
  { plan, contentType }: ResponseFormat,
  settings: RestSettings,
): BoundStatement {
  if (!plan) return statement;
  if (!settings.isPlanEnabled) throw createNotAcceptableError(contentType);
  const options = [`format ${plan.format}`, ...plan.options].join(', ');
  return { ...statement, text: `explain (${options}) ${statement.text}` };
}
