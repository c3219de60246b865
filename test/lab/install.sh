#!/bin/sh
# Installs the servers of the laboratory from Debian packages, without starting them.
# With --machine also the Debian system in which the packages of the program are tested.
set -eu
missing=""
# Pairs of program:package.
for program in \
  nginx:nginx-light apache2:apache2 caddy:caddy lighttpd:lighttpd haproxy:haproxy \
  nsd:nsd unbound:unbound ldns-signzone:ldnsutils \
  testssl:testssl.sh sslscan:sslscan gnutls-serv:gnutls-bin socat:socat ip:iproute2 xmllint:libxml2-utils \
  mmdebstrap:mmdebstrap systemd-nspawn:systemd-container \
  prometheus:prometheus fossil:fossil \
  curl:curl strace:strace nats-server:nats-server faketime:faketime mariadbd:mariadb-server php:php php-fpm8.2:php-fpm; do
  PATH="$PATH:/usr/sbin" command -v "${program%%:*}" >/dev/null 2>&1 || missing="$missing ${program##*:}"
done
# Pairs of file:package, for packages without a program.
for file in \
  /usr/lib/lighttpd/mod_openssl.so:lighttpd-mod-openssl \
  /usr/share/wordpress/wp-login.php:wordpress \
  /usr/share/wordpress/wp-content/themes/twentytwentythree:wordpress-theme-twentytwentythree \
  /usr/lib/php/20220829/mysqli.so:php-mysql /usr/lib/php/20220829/gd.so:php-gd /usr/lib/php/20220829/pdo_sqlite.so:php-sqlite3 \
  /usr/share/mediawiki/index.php:mediawiki /usr/share/dokuwiki/doku.php:dokuwiki \
  /etc/adminer/conf.php:adminer /var/lib/roundcube/index.php:roundcube-core /usr/share/doc/roundcube-sqlite3:roundcube-sqlite3 \
  /usr/share/phpmyadmin/index.php:phpmyadmin /usr/share/doc/dbconfig-no-thanks:dbconfig-no-thanks; do
  [ -e "${file%%:*}" ] || missing="$missing ${file##*:}"
done
if [ -n "$missing" ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "The laboratory needs the Debian packages$missing: install them, or run this as root on Debian." >&2
    exit 2
  fi
  echo "Installing$missing ..." >&2
  apt-get update -qq
  # Run level 1 stops invoke-rc.d from starting services. PHP's Apache module is left out: it would change Apache's defaults.
  RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing libapache2-mod-php8.2- >/dev/null
fi
[ "${1-}" = --machine ] || exit 0
# A minimal Debian with systemd. The name is that of test/lab/operate/debian-machine.ts.
debian_root=/var/cache/assay-laboratory/bookworm.tar
[ -e "$debian_root" ] || [ "$(id -u)" != 0 ] && exit 0
echo "Making $debian_root ..." >&2
mkdir -p "${debian_root%/*}"
mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,adduser \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  bookworm "$debian_root.$$.tar"
mv "$debian_root.$$.tar" "$debian_root"
