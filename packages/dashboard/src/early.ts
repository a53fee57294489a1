/**
 * A small script of its own, which runs before the browser evaluates all others: the service needs as long to open a
 * stream as they need to begin.
 */
import { live } from './data/live.ts'

/** Pages of people who have no session yet. */
const entrances = ['/sign-in', '/signup', '/reset', '/email']

if (!entrances.includes(location.pathname)) live.startEarly()
