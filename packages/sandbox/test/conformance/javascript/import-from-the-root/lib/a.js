export const a = "rooted";
