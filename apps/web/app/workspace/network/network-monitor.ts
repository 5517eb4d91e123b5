import type { NetworkLog, Preview, RequestDetails, NetworkRequest } from '@vitrine/sandbox/host';
import type { NetworkRule } from '@vitrine/sandbox/network-rules';
import { ValueStore } from '../value-store.ts';

/** A network rule that can be switched off. */
export interface SwitchableRule extends NetworkRule {
  /** Unique within the workspace. */
  readonly id: number;
  readonly isOn: boolean;
}

export type NetworkFilter = (typeof networkFilters)[number]['value'];
export const networkFilters = [
  { value: 'all', label: 'All' },
  { value: 'fetch', label: 'Fetch' },
  { value: 'script', label: 'Scripts' },
  { value: 'style', label: 'Styles' },
  { value: 'image', label: 'Images' },
  { value: 'failed', label: 'Failed' },
] as const;

/** Requests of the preview, recorded once the Network tab has been opened, and network rules. */
export class NetworkMonitor {
  readonly log = new ValueStore<NetworkLog>({ requests: [], dropped: 0 });
  readonly filter = new ValueStore<NetworkFilter>('all');
  /** Not stored: a project that fails because of a forgotten rule would be confusing. */
  readonly rules = new ValueStore<readonly SwitchableRule[]>([]);
  #preview: Preview | undefined;
  #isRecording = false;
  #nextId = 1;

  /** Sets the running preview, or none. */
  setPreview(preview: Preview | undefined): void {
    this.#preview = preview;
    this.log.set({ requests: [], dropped: 0 });
    if (this.#isRecording) preview?.network.watch();
    if (preview && this.rules.get().some(({ isOn }) => isOn)) this.#sendRules();
  }

  startRecording(): void {
    this.#isRecording = true;
    this.#preview?.network.watch();
  }

  addRule(rule: NetworkRule): void {
    this.#setRules([...this.rules.get(), { ...rule, id: this.#nextId++, isOn: true }]);
  }

  changeRule(id: number, rule: NetworkRule): void {
    this.#setRules(
      this.rules.get().map((each) => (each.id === id ? { ...rule, id, isOn: true } : each)),
    );
  }

  switchRule(id: number, isOn: boolean): void {
    this.#setRules(this.rules.get().map((rule) => (rule.id === id ? { ...rule, isOn } : rule)));
  }

  removeRule(id: number): void {
    this.#setRules(this.rules.get().filter((rule) => rule.id !== id));
  }

  clearRules(): void {
    this.#setRules([]);
  }

  async findDetails(id: number): Promise<RequestDetails | undefined> {
    return this.#preview?.network.findDetails(id);
  }

  #setRules(rules: readonly SwitchableRule[]): void {
    this.rules.set(rules);
    this.#isRecording = true;
    this.#sendRules();
  }

  #sendRules(): void {
    const active = this.rules.get().filter(({ isOn }) => isOn);
    this.#preview?.network.setRules(active.map(({ pattern, effect }) => ({ pattern, effect })));
  }
}

/** Requests that match the filter, in the order they were made. */
export function filterRequests(
  requests: readonly NetworkRequest[],
  filter: NetworkFilter,
): readonly NetworkRequest[] {
  if (filter === 'all') return requests;
  if (filter === 'failed') return requests.filter(({ hasFailed }) => hasFailed);
  return requests.filter(
    ({ kind }) => kind === filter || (filter === 'fetch' && kind === 'socket'),
  );
}

/**
 * Completes a typed pattern: "data.json" → "/data.json", "api.example.com/*" →
 * "https://api.example.com/*".
 */
export function completePattern(typed: string): string {
  const text = typed.trim().replace(/^\.\//, '');
  if (text === '' || /^(?:\/|\*|https?:\/\/)/.test(text)) return text;
  return /^[\w-]+(?:\.[\w-]+)+(?::\d+)?\//.test(text) ? `https://${text}` : `/${text}`;
}

/** "/api/*: delay 500 ms" */
export function formatRule({ pattern, effect }: NetworkRule): string {
  switch (effect.kind) {
    case 'wait':
      return `${pattern}: delay ${effect.ms} ms`;
    case 'fail':
      return `${pattern}: fail`;
    case 'status':
      return `${pattern}: respond with ${effect.status}`;
  }
}

/** "320 ms", "1.4 s"; "…" while pending. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return '…';
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Status code, "Failed", or "…" while pending. */
export function formatStatus({ status, hasFailed, duration }: NetworkRequest): string {
  if (status !== null) return String(status);
  if (hasFailed) return 'Failed';
  return duration === null ? '…' : '–';
}
