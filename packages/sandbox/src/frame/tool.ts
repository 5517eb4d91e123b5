import type { CodePlace } from '../protocol.ts';
import type { ToolName, ToTool } from '../tool-messages.ts';
import type { Clicks } from './clicks.ts';
import type { Connection } from './connection.ts';
import type { Loads } from './loads.ts';
import type { Positions } from './positions.ts';

/** What a person's own rule has failed; nothing while there is no tool for it. */
export interface FailedOnPurpose {
  /** By the error that the page got. */
  readonly calls: WeakMap<object, FailedCall>;
  /** The pattern of the rule, for what an element or an import asks for. */
  ofServed(address: string): string | undefined;
}

export interface FailedCall {
  /** The pattern of the rule. */
  rule: string;
  /** Where it was asked for. */
  place: CodePlace;
}

/** What a tool is given to work with. */
export interface ToolContext {
  connection: Connection;
  positions: Positions;
  loads: Loads;
  clicks: Clicks;
  onPurpose: FailedOnPurpose;
  /** Says that a node which the tool puts into the document is none of the page's. */
  own(node: Node): void;
}

/** Hears the host, with the ports that came along. */
export type HearHost = (said: ToTool['said'], ports: readonly MessagePort[]) => void;

/** Begins a tool's work in this document; the function it returns hears the host. */
export type StartTool = (context: ToolContext) => HearHost;

/** The event, at the window, by which a tool's script hands itself to the document's first script. */
export const offered = 'vitrine-tool';

/** For a tool's script, once: hands it over, and leaves no trace in the document. */
export function offerTool(name: ToolName, start: StartTool): void {
  document.currentScript?.remove();
  dispatchEvent(new CustomEvent(offered, { detail: { name, start } }));
}
