/** Every message between a pool and its programs. A program works on one request at a time. */

/** Pool → program. */
export type ToProgram =
  | { readonly type: 'request'; readonly request: unknown }
  /** Has no response. Also sent while a request is running. */
  | { readonly type: 'notice'; readonly notice: unknown };

/** Program → pool. */
export type FromProgram =
  /** Whatever the request needs is loaded, and its work starts. `spentMs` counts as part of it. */
  | { readonly type: 'started'; readonly spentMs: number }
  /** Sent any number of times before the result. */
  | { readonly type: 'notice'; readonly notice: unknown }
  | { readonly type: 'result'; readonly result: unknown }
  /** The request threw this error. The program goes on. */
  | { readonly type: 'threw'; readonly name: string; readonly message: string };

/** Parses a message of a program, which has read untrusted data. Undefined for anything else. */
export function parseFromProgram(value: unknown): FromProgram | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  const { type } = value;
  if (type === 'started' && 'spentMs' in value && typeof value.spentMs === 'number')
    return { type, spentMs: value.spentMs };
  if (type === 'notice' && 'notice' in value) return { type, notice: value.notice };
  if (type === 'result' && 'result' in value) return { type, result: value.result };
  if (type === 'threw' && 'name' in value && 'message' in value)
    return { type, name: String(value.name), message: String(value.message) };
  return undefined;
}
