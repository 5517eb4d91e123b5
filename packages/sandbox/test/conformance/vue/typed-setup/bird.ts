export interface Bird { size: number; name?: string }
