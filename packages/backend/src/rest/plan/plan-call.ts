import { RestError } from '../rest-error.ts';
import type { DatabaseFunction } from '../schema/schema.ts';

/** Argument names of a call, and the type of its body. */
export interface CallInput {
  names: readonly string[];
  body?: 'json' | 'text' | 'xml' | 'bytea';
}

/**
 * Finds the overload with the named arguments; otherwise the one that takes the whole body as its
 * single unnamed argument. Throws unless there is exactly one.
 */
export function selectOverload(
  schema: string,
  name: string,
  overloads: readonly DatabaseFunction[],
  given: CallInput,
): DatabaseFunction {
  const callable = overloads.filter(isCallable);
  const named = callable.filter((overload) => acceptsNames(overload, given));
  const fitting = named.length > 0 ? named : callable.filter((one) => acceptsBody(one, given));
  const [only, ...others] = fitting;
  if (!only) throw createNoFunctionError(`${schema}.${name}`, given);
  if (others.length === 0) return only;
  const signatures = fitting
    .map(listArguments)
    .toSorted()
    .map((list) => `${schema}.${name}(${list})`);
  throw new RestError(
    300,
    'PGRST203',
    `Could not choose the best candidate function between: ${signatures.join(', ')}`,
    {
      hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
    },
  );
}

const bodyTypes: ReadonlySet<string> = new Set(['json', 'jsonb', 'text', 'xml', 'bytea']);

/**
 * Whether a function can be called. An unnamed argument must be the only one, with a type for the
 * body.
 */
function isCallable({ arguments: known }: DatabaseFunction): boolean {
  return known.every(
    ({ name, type }) => name !== '' || (known.length === 1 && bodyTypes.has(type)),
  );
}

function acceptsNames({ arguments: known }: DatabaseFunction, { names, body }: CallInput): boolean {
  if (known.length === 0 && body !== undefined && body !== 'json') return false;
  return (
    names.every((name) => known.some((argument) => argument.name === name)) &&
    known.every((argument) => !argument.required || names.includes(argument.name))
  );
}

function acceptsBody(
  { arguments: [only, ...others] }: DatabaseFunction,
  { body }: CallInput,
): boolean {
  if (only?.name !== '' || others.length > 0) return false;
  return body === 'json' ? /^jsonb?$/.test(only.type) : only.type === body;
}

/** Whether the function is called with the whole body as its only argument. */
export function takesWholeBody({ arguments: known }: DatabaseFunction): boolean {
  return known.length === 1 && known[0]?.name === '';
}

function listArguments({ arguments: known }: DatabaseFunction): string {
  return known.map(({ name, type }) => `${name} => ${type}`).join(', ');
}

function createNoFunctionError(name: string, { names, body }: CallInput): RestError {
  const list = names.join(', ').slice(0, 200);
  const inBrackets = names.length > 0 ? `(${list})` : ' without parameters';
  const searched =
    names.length > 0
      ? ` with parameter${names.length > 1 ? 's' : ''} ${list}`
      : ' without parameters';
  const details = {
    json: `${searched} or with a single unnamed json/jsonb parameter`,
    text: ' with a single unnamed text parameter',
    xml: ' with a single unnamed xml parameter',
    bytea: ' with a single unnamed bytea parameter',
    none: searched,
  }[body ?? 'none'];
  const shown = name.slice(0, 100);
  return new RestError(
    404,
    'PGRST202',
    `Could not find the function ${shown}${inBrackets} in the schema cache`,
    {
      details: `Searched for the function ${shown}${details}, but no matches were found in the schema cache.`,
    },
  );
}
