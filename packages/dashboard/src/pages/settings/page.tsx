import { createLazyRoute, Link } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Empty } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { type AreaId, areas } from '../../shell/settings-areas.ts'
import { Account } from './account/Account.tsx'
import { areaOf } from './areas.ts'
import { Connections } from './connections/Connections.tsx'
import { Keys } from './keys/Keys.tsx'
import { Appearance } from './look/Appearance.tsx'
import { Mail } from './mail/Mail.tsx'
import { Notifications } from './notifications/Notifications.tsx'
import { Public } from './public/Public.tsx'
import styles from './settings.module.css'
import { Variables } from './variables/Variables.tsx'

export const Route = createLazyRoute('/signed-in/settings/$area')({ component: Settings })

const contents: Record<AreaId, ComponentType> = {
  keys: Keys,
  account: Account,
  connections: Connections,
  variables: Variables,
  notifications: Notifications,
  mail: Mail,
  public: Public,
  appearance: Appearance,
}

/** The settings of the user: a list of areas, and the chosen one. */
function Settings() {
  const { area } = Route.useParams()
  const chosen = areaOf(area)
  const Content = chosen && contents[chosen.id]
  return (
    <Page title="Settings" tabTitle={chosen === undefined ? 'Settings' : `${chosen.name} · Settings`}>
      <div className={styles.frame}>
        <nav className={styles.areas} aria-label="Areas of the settings">
          {areas.map(({ id, name }) => (
            <Link
              key={id}
              to="/settings/$area"
              params={{ area: id }}
              aria-current={id === area ? 'page' : undefined}
            >
              {name}
            </Link>
          ))}
        </nav>
        {/* Another area is another page: nothing that was typed or shown in one stays for the next. */}
        <div className={styles.area} key={area}>
          {Content === undefined ? (
            <Empty title="There is no such area">Choose one from the list.</Empty>
          ) : (
            <Content />
          )}
        </div>
      </div>
    </Page>
  )
}
