import type { CodePlace } from '../protocol.ts';
import type { ToolName, ToTool } from '../tool-messages.ts';
import type { Clicks } from './clicks.ts';
import type { Connection } from './connection.ts';
import type { Loads } from './loads.ts';
import type { Positions } from './positions.ts';

/** Requests failed by the user's network rules; empty while the network tool isn't loaded. */
export interface FailedOnPurpose {
  /** Failed `fetch` calls, by the error that the page got. */
  readonly calls: WeakMap<object, FailedCall>;
  /** Pattern of the rule that failed a request of an element or import. */
  ofServed(address: string): string | undefined;
}

export interface FailedCall {
  /** Pattern of the rule. */
  rule: string;
  /** Location of the call. */
  place: CodePlace;
}

/** Services for a tool. */
export interface ToolContext {
  connection: Connection;
  positions: Positions;
  loads: Loads;
  clicks: Clicks;
  onPurpose: FailedOnPurpose;
  /** Marks a node that the tool adds to the document as ours. */
  own(node: Node): void;
}

/** Handles messages of the host, with the ports that came along. */
export type HearHost = (said: ToTool['said'], ports: readonly MessagePort[]) => void;

/** Starts a tool in this document; returns its message handler. */
export type StartTool = (context: ToolContext) => HearHost;

/** Event on the window with which a tool's script registers itself. */
export const offered = 'vitrine-tool';

/** Registers a tool; called once by its script. Removes the script element. */
export function offerTool(name: ToolName, start: StartTool): void {
  document.currentScript?.remove();
  dispatchEvent(new CustomEvent(offered, { detail: { name, start } }));
}
