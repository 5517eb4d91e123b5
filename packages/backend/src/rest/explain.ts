import { notAvailable, type AnswerForm } from './answer-form.ts';
import type { RestSettings } from './schema.ts';
import type { Statement } from './statement.ts';

/**
 * Returns the statement, or its EXPLAIN when the plan is requested. Throws when plans are disabled.
 */
export function explain(
  statement: Statement,
  { plan, contentType }: AnswerForm,
  settings: RestSettings,
): Statement {
  if (!plan) return statement;
  if (!settings.plans) throw notAvailable(contentType);
  const options = [`format ${plan.format}`, ...plan.options].join(', ');
  return { ...statement, text: `explain (${options}) ${statement.text}` };
}
