import { Exchanges } from './Exchanges.tsx'
import { Models } from './Models.tsx'

/** The accounts of the user at exchanges and at providers of models. */
export function Connections() {
  return (
    <>
      <Exchanges />
      <Models />
    </>
  )
}
