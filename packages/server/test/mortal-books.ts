import type { Books } from '../src/trading/types.ts'

/** What such books throw. */
export class Killed extends Error {}

/**
 * Books of a process that may die before or after each write.
 * @param dies asked each time
 */
export function mortal(books: Books, dies: () => boolean): Books {
  const write = async (effect: () => Promise<void>) => {
    if (dies()) throw new Killed()
    await effect()
    if (dies()) throw new Killed()
  }
  return {
    position: (symbol) => books.position(symbol),
    held: () => books.held(),
    openings: () => books.openings(),
    limitReachedAt: () => books.limitReachedAt(),
    reachLimit: (reached) => write(() => books.reachLimit(reached)),
    drawdown: (equity) => books.drawdown(equity),
    reachDrawdown: (reached) => write(() => books.reachDrawdown(reached)),
    quote: () => books.quote(),
    realisedSince: (at) => books.realisedSince(at),
    ordersOf: (id) => books.ordersOf(id),
    plan: (...args) => write(() => books.plan(...args)),
    note: (...args) => write(() => books.note(...args)),
    noteCancelling: (...args) => write(() => books.noteCancelling(...args)),
    report: (...args) => write(() => books.report(...args)),
  }
}
