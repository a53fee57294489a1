import type { Quote, QuoteListener, Trouble } from '../src/market/price-source.ts'

/** A listener that keeps everything it receives, in order. */
export class Quotes implements QuoteListener {
  updates: Quote[] = []
  confirmations: Quote[] = []
  troubles: string[] = []

  onUpdate(quote: Quote): void {
    this.updates.push(quote)
  }

  onConfirmation(quote: Quote): void {
    this.confirmations.push(quote)
  }

  onTrouble({ reason }: Trouble): void {
    this.troubles.push(reason)
  }
}
