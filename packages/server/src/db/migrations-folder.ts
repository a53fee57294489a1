import { fileURLToPath } from 'node:url'

/** Migrations are numbered and never change. `npm run migration` generates them from `schema.ts`. */
export const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url))
