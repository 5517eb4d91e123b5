import {x} from "@vitrine/project"; export const y: string = String(x);
