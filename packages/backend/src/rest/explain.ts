import { notAvailable, type AnswerForm } from './answer-form.ts';
import type { RestSettings } from './schema.ts';
import type { Statement } from './statement.ts';

/** The statement, or where its plan is asked for, one that gives that. Refuses where it may not. */
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
