export type Kind = "wren" | "robin";
export interface Bird { kind: Kind }
export const make = (kind: Kind): Bird => ({ kind });
