export const a = "in a folder" as const;
