import { json as jsonSupport } from '@codemirror/lang-json';
import type { Extension } from '@codemirror/state';

export function json(): Extension {
  return jsonSupport();
}
